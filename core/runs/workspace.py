"""The workspace folder: stages, runs, labels. Layout: DESIGN 4."""

from __future__ import annotations

from pathlib import Path

from core.errors import RunError
from core.runs.files import read_json, write_error, write_json

FORMAT = 1


class Workspace:
    """Paths inside a workspace; folders are made when first needed.

    Raises: RunError if the root is a file, cannot be written, or was written by a newer version.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().absolute()
        if self.root.exists() and not self.root.is_dir():
            raise RunError("the workspace is not a folder", value=str(root), remedy="choose a folder")
        marker = self.root / "format.json"
        if marker.exists():
            found = read_json(marker).get("format")
            if not isinstance(found, int) or found > FORMAT:
                raise RunError(
                    f"the workspace has format {found}, this version reads up to {FORMAT}",
                    where=self.root.name,
                    remedy="use a newer Faultline or another workspace",
                )

    def create(self) -> Workspace:
        """Make the folder and mark its format."""
        self.folder(self.root)
        marker = self.root / "format.json"
        if not marker.exists():
            write_json(marker, {"format": FORMAT})
        return self

    def folder(self, path: Path) -> Path:
        """`path` as an existing folder. Raises: RunError if it cannot be made."""
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(path, error) from error
        return path

    def stage_dir(self, stage: str, key: str) -> Path:
        return self.root / "stages" / stage / key

    @property
    def runs_dir(self) -> Path:
        return self.root / "runs"

    def run_dir(self, run_id: str) -> Path:
        """Raises: RunError if the id is not a plain name (ids come from URLs and command lines)."""
        if not run_id or run_id != Path(run_id).name or run_id.startswith("."):
            raise RunError("that is not the name of a run", value=run_id)
        return self.runs_dir / run_id

    def labels_dir(self, dataset: str) -> Path:
        return self.root / "labels" / dataset

    def run_ids(self) -> list[str]:
        """Names of all runs, oldest first by folder name."""
        if not self.runs_dir.is_dir():
            return []
        return sorted(p.name for p in self.runs_dir.iterdir() if p.is_dir() and not p.name.startswith("."))

"""`croissant.json`: the captions file described for machines, with responsible-AI fields from the audit.

Croissant 1.0 and its RAI vocabulary (mlcommons.org/croissant); validated with `mlcroissant` in the tests.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.dataset.source import open_source
from core.errors import DataError
from core.export.card import biases_text, limitations_text
from core.export.drops import input_of
from core.runs.keys import file_sha256
from core.views.open_run import OpenRun

_TERMS = (
    *("citeAs", "column", "conformsTo", "equivalentProperty", "extract", "field", "fileProperty"),
    *("fileObject", "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    **{term: f"cr:{term}" for term in _TERMS},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}
ENCODINGS = {
    "jsonl": "application/jsonlines",
    "json": "application/json",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "parquet": "application/x-parquet",
}


def croissant_json(run: OpenRun, *, license_name: str = "", url: str = "", findings: str = "all") -> bytes:
    """The document. license_name, url: of the dataset, left out if not given (validators then warn).

    Raises DataError if the captions file is gone: its sha256 is part of the document.
    """
    path, _ = input_of(run)
    source = open_source(path)
    if source.format not in ENCODINGS:
        raise DataError("Croissant describes files, not this kind of input", value=source.format)
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": run.dataset_name,
        "description": f"Image captions, {run.info.n_samples:,} audited with Faultline (run {run.run_id}).",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        **({"license": license_name} if license_name else {}),
        **({"url": url} if url else {}),
        "datePublished": run.info.started[:10],
        "version": "1.0.0",
        "rai:dataLimitations": limitations_text(run, findings),
        "rai:dataBiases": biases_text(run, findings),
        "distribution": [_file(path, source.format)],
        "recordSet": [_records(run, path, source.format)],
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def _file(path: Path, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": ENCODINGS[kind],
        "sha256": file_sha256(path),
    }


def _records(run: OpenRun, path: Path, kind: str) -> dict[str, Any]:
    columns = (run.record.get("dataset") or {}).get("columns") or {}
    fields = [
        _field(path, role, name, kind)
        for role in ("sample_id", "image", "caption", "captioner")
        if (name := columns.get(role))
    ]
    return {"@type": "cr:RecordSet", "@id": "captions", "name": "captions", "field": fields}


def _field(path: Path, role: str, column: str, kind: str) -> dict[str, Any]:
    extract = {"jsonPath": f"$[*].{column}"} if kind == "json" else {"column": column}
    return {
        "@type": "cr:Field",
        "@id": f"captions/{role}",
        "name": role,
        "description": f"The {role.replace('_', ' ')} of a row.",
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": path.name}, "extract": extract},
    }

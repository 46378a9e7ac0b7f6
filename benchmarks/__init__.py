"""Ours beside a named peer, in one process, as ratios."""

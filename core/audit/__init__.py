"""The table of stages and the run through it."""

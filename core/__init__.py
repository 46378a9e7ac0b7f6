"""Faultline's engine: finds systematic misalignments in image captions. Never imports streamlit."""

__version__ = "0.1.0"

"""Compares scatterd with the frameworks whose dialects it speaks."""

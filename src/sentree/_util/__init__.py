"""Helpers without any knowledge of clustering; every room may use them, they use none."""

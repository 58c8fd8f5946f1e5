"""The study of the paper: the methods that it compares, and its tables and figures."""

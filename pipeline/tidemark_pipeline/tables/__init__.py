"""The tables: each one pure function, DataFrame to DataFrame."""

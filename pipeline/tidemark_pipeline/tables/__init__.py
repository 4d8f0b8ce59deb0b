"""The tables. Each is a pure function of DataFrames that returns a DataFrame."""

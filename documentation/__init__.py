"""Makes the parts of docs/ that come from the code: tables, the picture of the architecture, and the site."""

"""What in docs/ is made from the code: tables, the picture of the architecture, and the site."""

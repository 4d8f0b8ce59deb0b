//! The application under test would be here.

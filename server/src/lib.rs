//! Multiloop for the clients of PostgreSQL.

"""The warehouse: analysed documents, the ledger of imports and the reports, in SQLite, PostgreSQL or DuckDB."""

from tasks.warehouse.database import Warehouse, open_warehouse

__all__ = ["Warehouse", "open_warehouse"]

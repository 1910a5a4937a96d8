"""One view a feed, with its metadata as typed columns: that is what people open in their BI tool."""

from sqlalchemy import Connection, Engine, literal

from config.feed import NUMERIC, Feed, Kind
from tasks.warehouse.database import Warehouse
from tasks.warehouse.tables import documents

PLAIN = ("external_id", "lang", "type", "content", "state", "created_at", "updated_at", "analysis_version")
LINEAGE = ("_import_id", "_source_file", "_source_line")


def view_name(feed: str) -> str:
    """What the view of a feed is called."""
    return f"feed_{feed}"


def make_view(warehouse: Warehouse, feed: Feed, dataset_id: str) -> str:
    """Make or renew the view of a feed; its qualified name."""
    quote = warehouse.engine.dialect.identifier_preparer.quote
    prefix = f"{quote(warehouse.schema)}." if warehouse.schema else ""
    taken = {*PLAIN, *LINEAGE}
    columns = [quote(name) for name in PLAIN]
    for code, field in feed.metadata.items():
        # A metadata code may be called like a column of every document; the view then has both.
        # So do codes that differ in case alone, which are one name to a database.
        name = f"metadata_{code}" if code.lower() in taken else code.lower()
        while name.lower() in taken:
            name += "_"
        taken.add(name.lower())
        columns.append(f"{_typed(warehouse.dialect, code, field.type)} AS {quote(name)}")
    columns += [quote(name) for name in LINEAGE]
    name = f"{prefix}{quote(view_name(feed.name))}"
    source = f"{prefix}{quote(documents.name)}"
    chosen = literal(dataset_id).compile(warehouse.engine, compile_kwargs={"literal_binds": True})
    body = f"SELECT {', '.join(columns)} FROM {source} WHERE dataset_id = {chosen}"  # noqa: S608 our own names, quoted
    with warehouse.write() as connection:
        connection.exec_driver_sql(f"DROP VIEW IF EXISTS {name}")
        _create(connection, warehouse.engine, f"CREATE VIEW {name} AS {body}")
    return name


def _create(connection: Connection, engine: Engine, statement: str) -> None:
    # psycopg reads % as a placeholder; a metadata code cannot hold one, and doubled it is safe for the others.
    connection.exec_driver_sql(statement.replace("%", "%%") if engine.dialect.name == "postgresql" else statement)


def _typed(dialect: str, code: str, kind: Kind) -> str:
    """The value of a metadata code as the type a reader expects; codes hold only letters, digits, _ and -."""
    if dialect == "sqlite":
        value = f"json_extract(metadata, '$.\"{code}\"')"
        return f"CAST({value} AS REAL)" if kind in NUMERIC else value
    value = f"(metadata ->> '{code}')" if dialect == "postgresql" else f"json_extract_string(metadata, '$.\"{code}\"')"
    if kind in NUMERIC:
        return f"CAST({value} AS DOUBLE PRECISION)"
    if kind is Kind.DATETIME:
        return f"CAST({value} AS TIMESTAMP WITH TIME ZONE)"
    return f"CAST({value} AS BOOLEAN)" if kind is Kind.BOOLEAN else value

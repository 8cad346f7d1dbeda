"""Runs migrations over the connection that `service.projection.database.schema` has opened."""

from alembic import context

from service.projection.database.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
context.run_migrations()

"""Runs migrations over the connection that `service.projection.database.schema` has opened."""

from alembic import context

from service.projection.database.tables import METADATA

# An import by anything but Alembic finds no configuration, and runs nothing.
if (config := getattr(context, "config", None)) is not None:
    context.configure(
        connection=config.attributes["connection"],
        target_metadata=METADATA,
        render_as_batch=True,
    )
    context.run_migrations()

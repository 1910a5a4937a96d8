"""From accepted bytes to analysed documents: intake, the worker, and the executors it analyses with."""

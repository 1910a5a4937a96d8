"""From a CSV, whatever its state, to documents: read strictly, coerced explicitly, in constant memory."""

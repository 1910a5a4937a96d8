"""Takes the body of an import apart into raw documents, in constant memory and without trusting a byte of it."""

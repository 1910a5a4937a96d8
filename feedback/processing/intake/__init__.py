"""Takes the body of an import apart into raw documents, in constant memory and without trusting a byte of it."""

from feedback.processing.intake.window import MAX_DOCUMENT_BYTES

__all__ = ["MAX_DOCUMENT_BYTES"]

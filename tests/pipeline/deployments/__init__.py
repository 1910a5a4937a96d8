"""A folder of its own, so that what its tests deploy ends with them."""

"""The live classroom: a teacher opens a page, a class joins by phone, and homeroom teaches it."""

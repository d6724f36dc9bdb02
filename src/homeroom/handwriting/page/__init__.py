"""A lesson as a page that writes its letters, in one file that opens in any browser."""

from homeroom.handwriting.page.page import lesson_page

__all__ = ["lesson_page"]

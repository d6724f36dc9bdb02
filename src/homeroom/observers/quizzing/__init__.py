"""Beliefs about students from their quiz answers: one idea per file."""

"""A client's credentials and the token it gets for them."""

from typing import Literal

from pydantic import BaseModel

from feedback.api.schemas.common import Model


class TokenRequest(Model):
    """A client's credentials."""

    client_id: str
    client_secret: str


class TokenRecord(BaseModel):
    """An access token and its life in seconds."""

    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int

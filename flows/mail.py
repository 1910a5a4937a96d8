"""A notification block for the mail server a company has: Prefect ships one for Sendgrid and none for SMTP.

Register it once with a Prefect server: `prefect block register --module flows.mail`; then it stands under Blocks.
"""

import smtplib
import ssl
from email.message import EmailMessage
from typing import Any, Literal

from prefect.blocks.abstract import NotificationBlock
from pydantic import Field, SecretStr

SECONDS = 30.0


class SmtpEmail(NotificationBlock):
    """Sends a message as an e-mail."""

    _block_type_name = "SMTP e-mail"
    _block_type_slug = "smtp-email"

    host: str = Field(description="The mail server.")
    port: int = Field(default=587, ge=1, le=65535)
    encryption: Literal["starttls", "tls", "none"] = Field(default="starttls", description="TLS from the start is 465.")
    username: str = Field(default="", description="Nobody logs in when empty.")
    password: SecretStr = Field(default=SecretStr(""))
    sender: str = Field(description="The address the message comes from.")
    recipients: list[str] = Field(min_length=1, description="The addresses it goes to.")

    def notify(self, body: str, subject: str | None = None) -> None:  # type: ignore[override]
        """Send one message to all recipients. Raises `smtplib.SMTPException` or `OSError`."""
        message = EmailMessage()
        message["From"], message["To"] = self.sender, ", ".join(self.recipients)
        # A title written over several lines of YAML ends in a line end, which no header may hold.
        message["Subject"] = " ".join((subject or "").split())
        message.set_content(body)
        with self._connection() as server:
            if self.username:
                server.login(self.username, self.password.get_secret_value())
            server.send_message(message)

    def _connection(self) -> smtplib.SMTP:
        trusted: Any = ssl.create_default_context()
        if self.encryption == "tls":
            return smtplib.SMTP_SSL(self.host, self.port, timeout=SECONDS, context=trusted)
        server = smtplib.SMTP(self.host, self.port, timeout=SECONDS)
        try:
            if self.encryption == "starttls":
                server.starttls(context=trusted)
        except BaseException:
            server.close()
            raise
        return server

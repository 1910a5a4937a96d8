"""Receivers of what a report says: a web address, a mail server and Slack, on loopback, with real TLS."""

import base64
import ipaddress
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Certificate:
    """A certificate of its own authority for 127.0.0.1 and some names."""

    def __init__(self, folder: Path, *names: str) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
        now = datetime.now(UTC)
        known = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), *map(x509.DNSName, names)]
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=1))
            .not_valid_after(now + timedelta(hours=1))
            .add_extension(x509.SubjectAlternativeName(known), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256())
        )
        self.path, self._key = folder / "certificate.pem", folder / "key.pem"
        self.path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        plain = serialization.NoEncryption()
        self._key.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain),
        )

    def context(self) -> ssl.SSLContext:
        """What a server that shows this certificate needs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path, self._key)
        return context


@contextmanager
def web_address() -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """A web address that takes JSON: its port, and what it was sent."""
    received: list[dict[str, Any]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, received
        server.shutdown()


@contextmanager
def slack(certificate: Certificate) -> Iterator[tuple[int, list[tuple[str, dict[str, Any]]]]]:
    """A proxy behind which stands hooks.slack.com: its port, and each path with what was posted there."""
    received: list[tuple[str, dict[str, Any]]] = []

    class Proxy(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            self.connection = certificate.context().wrap_socket(self.connection, server_side=True)
            self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
            self.close_connection = False

        def finish(self) -> None:
            super().finish()
            self.connection.close()

        def do_POST(self) -> None:
            received.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, received
        server.shutdown()


@contextmanager
def mail_server(
    certificate: Certificate | None = None, *, encryption: str = "none", login: tuple[str, str] = ("", "")
) -> Iterator[tuple[int, list[str]]]:
    """A server that speaks as much SMTP as one message needs: its port, and the lines it took.

    With a `login` it takes a message of nobody else; with `encryption` starttls, of nobody in the clear.
    """
    told: list[str] = []
    token = base64.b64encode("\0".join(["", *login]).encode()).decode()

    class Server(StreamRequestHandler):
        def handle(self) -> None:
            with suppress(ssl.SSLError):  # A client that does not trust the certificate goes away.
                self._talk()

        def finish(self) -> None:
            super().finish()
            self.connection.close()

        def _talk(self) -> None:
            secure = known = content = False
            if encryption == "tls":
                secure = self._secure()
            self.wfile.write(b"220 ready\r\n")
            while line := self.rfile.readline():
                said = line.decode().rstrip("\r\n")
                told.append(said)
                if content and said != ".":
                    continue
                verb = said.partition(" ")[0].lower()
                content = False
                if verb == "ehlo":
                    offer = "AUTH PLAIN" if secure or encryption == "none" else "STARTTLS"
                    answer = f"250-here\r\n250 {offer}"
                elif verb == "starttls":
                    self.wfile.write(b"220 go on\r\n")
                    secure = self._secure()
                    continue
                elif verb == "auth":
                    known = said.split()[-1] == token
                    answer = "235 welcome" if known else "535 unknown"
                elif (encryption != "none" and not secure) or (login[0] and not known and verb != "quit"):
                    answer = "530 not like this"
                elif verb == "data":
                    content, answer = True, "354 go on"
                else:
                    answer = "221 bye" if verb == "quit" else "250 well"
                self.wfile.write(answer.encode() + b"\r\n")

        def _secure(self) -> bool:
            assert certificate is not None
            self.connection = certificate.context().wrap_socket(
                self.connection, server_side=True, do_handshake_on_connect=False
            )
            self.connection.do_handshake()
            self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
            return True

    with ThreadingTCPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], told
        server.shutdown()

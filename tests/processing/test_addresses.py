"""Notifications go to public addresses alone, and to the very address that was checked."""

import socket
import threading
import time

import pytest

from feedback.processing.addresses import ForbiddenTarget, checked_addresses, is_public
from feedback.processing.dialling import Unreached, post
from tests.receiver import Reply, running_receiver

SPECIAL = """
0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.0.170
192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.1.1 192.175.48.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
:: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:93.184.215.14 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:20::1
2001:db8::1 2002:7f00:1:: 2620:4f:8000::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1
"""
PUBLIC = "1.1.1.1 93.184.215.14 172.15.255.255 172.32.0.1 192.0.1.1 2606:2800:21f::1 2a00:1450:4001::1"


@pytest.mark.parametrize("address", SPECIAL.split())
def test_a_special_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_an_ordinary_address_is_public(address: str) -> None:
    assert is_public(address)


def test_a_name_that_has_one_bad_address_among_good_ones_is_refused() -> None:
    with pytest.raises(ForbiddenTarget, match="private, loopback"):
        checked_addresses("mixed.example", 443, (), lambda *_: ["93.184.215.14", "10.0.0.1"])


def test_a_name_that_cannot_be_resolved_is_refused() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror

    with pytest.raises(ForbiddenTarget, match="cannot be resolved"):
        checked_addresses("nowhere.example", 443, (), unknown)


def test_an_allowed_host_may_be_anywhere_and_no_other() -> None:
    assert checked_addresses("Dev.internal", 80, ("dev.INTERNAL",), lambda *_: ["10.0.0.1"]) == ["10.0.0.1"]
    with pytest.raises(ForbiddenTarget):
        checked_addresses("dev.internal.example", 80, ("dev.internal",), lambda *_: ["10.0.0.1"])


def test_a_name_that_turns_private_after_registration_is_not_dialled() -> None:
    with running_receiver() as receiver:
        port = receiver.url.split(":")[2].split("/")[0]
        with pytest.raises(ForbiddenTarget):
            post(f"http://rebound.example:{port}/", b"{}", {}, timeout=2, resolver=lambda *_: ["127.0.0.1"])
        assert receiver.received == []


def test_the_checked_address_is_dialled_under_the_name_of_the_url_and_looked_up_once() -> None:
    asked: list[str] = []

    def resolver(host: str, _: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    with running_receiver() as receiver:
        port = receiver.url.split(":")[2].split("/")[0]
        url = f"http://hooks.example:{port}/a?b=c"
        answer = post(url, b"{}", {"x-test": "1"}, timeout=5, allowed=("hooks.example",), resolver=resolver)
        sent = receiver.received[0]
    assert (answer.status, asked) == (204, ["hooks.example"])
    assert (sent.headers["host"], sent.path, sent.headers["x-test"]) == (f"hooks.example:{port}", "/a?b=c", "1")


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with running_receiver() as receiver:
        receiver.replies(Reply(200))
        assert post(receiver.url, b"{}", {}, timeout=5, allowed=("127.0.0.1",)).status == 200


def test_a_receiver_that_answers_byte_by_byte_does_not_outlast_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                while not ended.wait(0.05):
                    try:
                        connection.sendall(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        started = time.monotonic()
        with pytest.raises(Unreached):
            post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {}, timeout=0.4, allowed=("127.0.0.1",))
        # It drips for ever: any end is by the timeout, however late a busy machine notices.
        assert time.monotonic() - started < 20
        ended.set()
        thread.join()


def test_where_nothing_listens_there_is_no_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(Unreached, match="Connect"):
        post(f"http://127.0.0.1:{port}/", b"{}", {}, timeout=2, allowed=("127.0.0.1",))

from __future__ import annotations

import ipaddress

import pytest

from service.webhooks.addresses import RESERVED, SPECIAL, find_special_block, is_public

NOT_PUBLIC = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/96",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
]
"""Copied row by row from IANA's registries, independently of the code's own table."""

RIGHT_OUTSIDE = [
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.1.255",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2000::",
    "2001:200::",
    "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::",
    "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2003::",
    "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff:1000::",
]


@pytest.mark.parametrize("row", NOT_PUBLIC)
def test_each_special_block_is_refused_from_its_first_address_to_its_last(row: str) -> None:
    network = ipaddress.ip_network(row)
    middle = network[network.num_addresses // 2]
    for address in (network[0], middle, network[-1]):
        block = find_special_block(str(address))
        assert block is not None
        assert block.network == network
        assert not is_public(str(address))


def test_the_table_has_exactly_these_blocks() -> None:
    assert [str(block.network) for block in SPECIAL] == [
        str(ipaddress.ip_network(row)) for row in NOT_PUBLIC
    ]


@pytest.mark.parametrize("address", RIGHT_OUTSIDE)
def test_an_address_right_outside_a_block_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "192.0.0.192",  # a cloud's metadata service
        "fe80::1%eth0",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::ffff:0:10.0.0.1",
        "::127.0.0.1",
        "2002:7f00:1::",
        "2002:808:808::",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a00:1",
        "2001:0:808:808:0:0:f5ff:fffe",  # Teredo for 10.0.0.1
    ],
)
def test_what_embeds_or_hides_another_address_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("block", RESERVED, ids=str)
def test_ipv6_that_nobody_has_been_given_is_refused(block: object) -> None:
    unused = {"::/3": "1fff::1", "4000::/2": "4000::1", "8000::/1": "8000::1"}
    ((network, address),) = [(n, a) for n, a in unused.items() if str(block).startswith(f"{n},")]
    assert find_special_block(address) == block, network


@pytest.mark.parametrize("address", ["8.8.8.8", "192.31.196.1", "2606:4700::1111", "2a00::1"])
def test_an_address_outside_is_public(address: str) -> None:
    assert is_public(address)


def test_what_is_no_address() -> None:
    with pytest.raises(ValueError, match="not appear to be an IPv4"):
        is_public("club.example")

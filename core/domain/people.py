"""Words for people: the one hypernym table of the concept match (a general list, not a benchmark's)."""

from __future__ import annotations

GENERIC_PEOPLE = frozenset("person people human individual somebody someone crowd folk pedestrian".split())

PEOPLE = GENERIC_PEOPLE | frozenset(
    """man men woman women boy girl child children kid baby toddler infant teenager teen adult guy
    gentleman lady male female couple family friend passenger driver rider biker cyclist bicyclist
    motorcyclist skier surfer skater skateboarder snowboarder swimmer runner jogger hiker player
    batter catcher pitcher umpire referee goalie athlete golfer spectator audience worker
    officer policeman policewoman cop firefighter soldier chef waiter waitress vendor
    seller shopper customer tourist visitor student teacher farmer fisherman cowboy jockey musician
    singer guitarist dancer photographer doctor nurse patient pilot bride groom businessman
    businesswoman mother father mom dad parent grandmother grandfather son daughter sister brother
    husband wife bystander onlooker commuter occupant resident artist actor performer clown
    member guest colleague skydiver climber boxer wrestler sailor king queen prince princess""".split()
)


def is_person_word(head: str) -> bool:
    """True if a concept's head noun names a person or people."""
    return head in PEOPLE

"""Adjective and noun that make one name ("hot dog", "polar bear"): a written list of general English.

A parser takes "hot dog" for a dog that is hot. The list is by hand and short: a heuristic.
"""

from __future__ import annotations

OPEN_COMPOUNDS = frozenset(
    """hot dog, hot tub, hot pot, hot plate, hot sauce, hot chocolate, hot air balloon, high chair, high
    heel, polar bear, grizzly bear, brown bear, black bear, wild boar, wild flower, mountain goat,
    guinea pig, french fry, french toast, french press, swiss cheese, swiss army knife, brussels
    sprout, sweet potato, green bean, green onion, red pepper, bell pepper, black pepper, soft
    drink, fast food, fried egg, fried rice, fried chicken, boiled egg, scrambled egg, mashed
    potato, whipped cream, sour cream, iced tea, iced coffee, baked good, baked bean, ground beef,
    wet suit, dry dock, double decker, electric guitar, electric fan, remote control, mobile phone,
    mobile home, cellular phone, digital camera, personal computer, solar panel, fluorescent light,
    stained glass, wrought iron, rolling pin, cutting board, washing machine, sewing machine,
    vending machine, rocking chair, folding chair, rocking horse, shopping cart, shopping bag,
    frying pan, parking lot, parking meter, swimming pool, diving board, dining room, dining table,
    living room, waiting room, walking stick, running shoe, hiking boot, sleeping bag, boxing glove,
    magnifying glass, blue jay, bald eagle, golden retriever, german shepherd, great dane, siamese
    cat, persian cat, killer whale, christmas tree, ferris wheel, public transport, private jet,
    military vehicle, armored vehicle, aerial tram, natural gas, open book, wooden spoon, measuring
    cup, paper towel, stuffed animal, stuffed bear, stuffed toy, pleural effusion, pulmonary edema,
    pulmonary artery, pulmonary nodule, endotracheal tube, nasogastric tube, tracheostomy tube,
    central venous catheter, surgical clip, surgical staple, subcutaneous emphysema, interstitial
    edema, vascular congestion, pulmonary vascularity, cardiac silhouette, thoracic spine, thoracic
    aorta, cardiomediastinal silhouette, mediastinal contour, degenerative change, hiatal hernia,
    granulomatous disease, calcified granuloma""".replace("\n", " ").split(", ")
)
OPEN_COMPOUNDS = frozenset(" ".join(name.split()) for name in OPEN_COMPOUNDS)
NO_KIND_OF = frozenset({"hot dog", "killer whale", "guinea pig", "wet suit", "double decker", "blue jay"})
"""Compounds that are no kind of their last word: a hot dog is not a dog."""


def adjective_belongs(words: tuple[str, ...]) -> bool:
    """Whether lemmas that end a noun phrase, the first of them an adjective, make one name."""
    return " ".join(words) in OPEN_COMPOUNDS


def head_of(name: str, head: str) -> str:
    """What a name is a kind of: its head noun, or itself."""
    return name if name in NO_KIND_OF else head

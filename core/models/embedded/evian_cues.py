"""Word lists of the rule-based tagger: what marks a clause as inference or as outside knowledge.

A heuristic for English. Tuned on one random half of the answers of FaithScore's annotation.

Paper: Evian 4.1.
"""

from __future__ import annotations

import re


def _any(words: str) -> re.Pattern[str]:
    alternatives = "|".join(w.strip().replace(" ", r"\s+") for w in words.split("|"))
    return re.compile(rf"\b(?:{alternatives})\b", re.IGNORECASE)


HEDGES = _any(
    """may|might|could|would|should|must|will|likely|unlikely|possibly|possible|probably|perhaps|maybe|
    presumably|potential|potentially|possibility|possibilities|chances are|
    can(?!\\s+be\\s+(?:seen|found|observed|spotted))|
    cannot be determined|seems?|assum\\w+|suppos\\w+|speculat\\w+|infer\\w*|imagine|appears to have|if"""
)
CAUSES = _any(
    """suggest\\w*|indicat\\w+|impl(?:y|ies|ying)|because|due to|in order to|as a result|therefore|thus|hence|
    consequently|reasons?|cause[sd]?|lead(?:s|ing)? to|led to|so that|to (?:ensure|help|avoid|prevent|
    make|create|add|keep|maintain|improve|overcome|mitigate|minimi[sz]e|enjoy|attend|relax|protect|convey|provide)|
    ensur(?:e|es|ing)|allow(?:s|ing)?|enabl(?:e|es|ing)|mak(?:es|ing) (?:it|the|them|him|her|this)|
    help(?:s|ing)?|contribut\\w+|reflect(?:s|ing) (?:the|a|its|their|his|her)|result(?:s|ing) in|prevent\\w*|
    purpose|serv(?:e|es|ing) (?:as|to)|intend\\w*|meant to|the fact that|impact\\w*|affect\\w*|influenc\\w+"""
)
EVALUATIONS = _any(
    """essential|important|crucial|necessary|significant(?:ly)?|interesting\\w*|unusual|unique(?:ly|ness)?|funny|
    humor\\w*|humour\\w*|amus\\w+|iron(?:y|ic|ically)|absurd\\w*|beautiful\\w*|lovely|stunning|charming|attractive|
    appealing|inviting|cozy|cosy|comfort\\w*|pleasant|enjoyable|delicious|peaceful\\w*|serene|seren\\w+|
    tranquil\\w*|calm|harmon\\w+|lively|vibrant atmosphere|dramatic|playful\\w*|whimsical|elegan\\w+|
    atmosphere|ambian?ce|mood|
    sense of|feeling of|feel\\w*|emotion\\w*|joy\\w*|happy|happiness|excit\\w+|romantic|nostalgi\\w+|
    mysterious|safe(?:ty|ly)?|dangerous|danger|risk\\w*|challeng\\w+|concern\\w*|benefits?|convenien\\w+|efficient\\w*|
    healthy|health|well-being|good|great|impress\\w+|distinctive|stand out|attention to|experience|
    express\\w*|symboli[sz]\\w+|represent(?:s|ing)?|convey\\w*|message|meaning|remind\\w*|memor\\w+|
    creativ\\w+|intended|tension|contrast\\w* between|juxtapos\\w+|emphasi[sz]\\w+|highlight(?:s|ing)? the|
    enhanc\\w+|a (?:touch|element) of|natural touch|opportunit\\w+|difficult\\w*|easier|easily|harder|
    careful\\w*|cautious\\w*|prepar\\w+|waiting to|trying to|wants? to|need(?:s|ed)? to|able to|access to|
    the presence of|connection between|related to|overall|additionally it is"""
)
KNOWLEDGE = _any(
    """which (?:is|are) (?:a|an|the|commonly|often|typically|
    usually|known|used)(?! (?:likely|possibly|visible|seen))|
    (?:is|are|was|were) (?:a|an) (?:type|kind|form|species|breed|brand|style) of|a (?:type|kind|species) of|
    device (?:used|that)|(?:is|are|was|were) (?:commonly|often|typically|usually|generally|traditionally|
    widely)|(?:commonly|often|typically|usually|generally|traditionally|widely|originally|historically|frequently)|
    known (?:for|as)|famous|famously|renowned|located in the (?:city|state|country)|capital of|
    founded|built in|invented|painted by|written by|directed by|created by|designed by|
    born|died|century|tradition\\w*|
    histor(?:y|ic|ical)|native to|originat\\w+|refers? to|stands for|defined as|is called|novel|dynasty|
    in the wild|mammals?|scientific\\w*|movie|film|series|actor|president|company|brand"""
)
# "which is an unusual and amusing sight": a judgement, though worded like a definition.
JUDGES = re.compile(
    rf"\b(?:is|are|was|were)\s+(?:(?:not|a|an|the|quite|very|rather|somewhat|so|such|more|most|\w+ly)\s+)*"
    rf"(?:{EVALUATIONS.pattern})",
    re.IGNORECASE,
)
SPEECH = _any("in general|in conclusion|it depends|sorry|i cannot|as an ai")
MARKERS = re.compile(
    r"""\s*(?:firstly|secondly|thirdly|first|second|third|lastly|finally|additionally|furthermore|moreover|
    alternatively|however|also|overall|besides|meanwhile|therefore|thus|in\ addition(?:\ to\ [\w\s]+)?|
    in\ (?:the|this)\ (?:image|picture|photo|scene|background|foreground|snapshot)|based\ on\ the\ image|
    for\ example|for\ instance|in\ summary|in\ conclusion)\s*,?\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
# Clauses that go on with what was said before them, and so share its label.
CONTINUES = re.compile(
    r"""\s*(?:such\ as|or\b|and\s+(?:\w+ing|\w+ly|other|overall|to|then|the\s+\w+\s+(?:is|are)\s+expected)\b|
    (?:and|but|so)\s+\w+\s*\Z|as\s+(?:they|it|he|she|you|this)\b|which\b|where\b|rather\b|including\b|even\b|
    \w+ing\b(?!\s+(?:on|in|at|next|near|behind|beside|a|an|two|three|several)\b)|who\b|like\b|especially\b|
    \w+\s*\Z|maintain\b)""",
    re.IGNORECASE | re.VERBOSE,
)
# What only a description says.
VISUAL = _any(
    """depicts?|features?|can be (?:seen|found|observed)|visible|in the (?:background|foreground)|
    (?:on|to|towards|at) the (?:left|right|top|bottom|other|far|side)|positioned|placed|parked|
    (?:is|are) (?:standing|sitting|lying|laying|walking|riding|wearing|holding|carrying|located|surrounded)|
    wearing|holding|the image shows|as the image|shown|there (?:is|are)|in the image"""
)

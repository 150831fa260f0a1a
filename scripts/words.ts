/** Foreign-sounding constructions and their replacements. `check-words.ts` searches prose for them. */
export const WORDS: readonly (readonly [construction: RegExp, replacement: string])[] = [
  [/\bwho(?:so)?ever\b/gi, "anyone who, the caller that"],
  [/\b(?:those|that) of\b(?! (?:us|you)\b)/gi, "repeat the noun: the limits of"],
  [/\b(?:comes?|came) to (?!rest\b)/gi, "is, reaches, totals"],
  [/\bgo(?:es|ing)? on\b|\bwent on\b/gi, "continues"],
  [/\bonce more\b/gi, "again"],
  [/\blikewise\b/gi, "also, in the same way"],
  [/\b(?:is|are|was|be) wanted\b/gi, "name who needs what"],
  [/(?<!\bthere )\b(?:is|are|was|were) no\b(?! (?:longer|more|less|later|earlier|fewer)\b)/gi, "is not a"],
  [/(?<!\bthere )\b(?:is|are|was|has|have|had) none\b(?! of\b)/gi, "is not a, has no, with the noun"],
  [/\bbehind (?:it|them|this|these|that)\b/gi, "after, and the noun"],
  [/\b(?:is|are|was|were|be|been) told\b/gi, "receives, learns, is notified"],
  [/\bof (?:its|their|our|his|her|one's) own\b/gi, "its own, before the noun"],
  [/(?<!\bconnections? )(?<!\bconnection is )\brefus(?:e[sd]?|als?|ing)\b/gi, "reject"],
  [/\bden(?:y|ies|ied|ying|ials?)\b(?! of service\b)/gi, "reject"],
  [/\brenew(?:s|ed|als?|ing)?\b/gi, "refresh, for tokens; else again, replace"],
  [/\bat once\b/gi, "immediately, or at the same time"],
  [/\bas ever\b/gi, "as always"],
  [/\b(?:is|are|was|be) said\b/gi, "is reported, is stated"],
  [/\bleft alone\b|\blea(?:ves?|ving) (?:\w+ )?alone\b/gi, "is not changed, is not called"],
  [/\b(?:is|are|was|were) gone\b/gi, "has disconnected, was removed, no longer exists"],
  [/\bbut for\b/gi, "except"],
  [/\bbeside\b/gi, "next to, in addition to"],
  [/\b(?<!-)stands?\b(?! (?:for|out|in for|by)\b|-)/gi, "is"],
  [/\band the like\b/gi, "name the things"],
  [/\bupon\b/gi, "on, when"],
  [/\bin vain\b/gi, "without success"],
  [/\b(?:lest|whence|hence|there(?:of|in|by|upon)|where(?:in|of|upon)|here(?:in|of|by))\b/gi, "plain words"],
  [/\bpark(?:s|ed|ing)?\b/gi, "idle, waiting"],
  [/\b(?:crowds?|offenders?|seats?)\b/gi, "connection counts, blocklist, bus membership"],
  [/(?<!^#+ )(?<!\[)\bWhat\b(?![^.!?\0]*\?)/gm, "begin with a noun, not with What, unless it is a question"],
];

/** Suffixes of type names that are private vocabulary; use the field's standard terms instead. */
export const TYPE_NAMES =
  /^(?:export )?(?:abstract )?(?:class|interface|type|enum) (\w*(?:Crowd|Offenders|Bag|Hold|Seat|Party|Machine))(?=<| (?:[={]|extends|implements))/gm;

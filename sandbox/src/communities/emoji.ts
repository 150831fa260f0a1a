/** An emoji for reactions to posts. */
export interface Emoji {
  readonly id: string;
  /** The name of the emoji between colons. */
  readonly slug: string;
  readonly grapheme: string;
  /** Variants such as skin tones: an array or an object, as the real service sends them. */
  readonly variants: unknown;
}

const TONES = ["\u{1F3FB}", "\u{1F3FC}", "\u{1F3FD}", "\u{1F3FE}", "\u{1F3FF}"] as const;

const GRAPHEMES: readonly (readonly [slug: string, grapheme: string])[] = [
  ["thumbs_up", "\u{1F44D}"],
  ["thumbs_down", "\u{1F44E}"],
  ["clapping_hands", "\u{1F44F}"],
  ["raised_hand", "\u270B"],
  ["red_heart", "\u2764\uFE0F"],
  ["broken_heart", "\u{1F494}"],
  ["fire", "\u{1F525}"],
  ["seedling", "\u{1F331}"],
  ["deciduous_tree", "\u{1F333}"],
  ["sunflower", "\u{1F33B}"],
  ["face_with_tears_of_joy", "\u{1F602}"],
  ["loudly_crying_face", "\u{1F62D}"],
  ["thinking_face", "\u{1F914}"],
  ["party_popper", "\u{1F389}"],
  ["rocket", "\u{1F680}"],
  ["eyes", "\u{1F440}"],
  ["hundred_points", "\u{1F4AF}"],
  ["star", "\u2B50"],
  ["sparkles", "\u2728"],
  ["rainbow", "\u{1F308}"],
  ["cat_face", "\u{1F431}"],
  ["dog_face", "\u{1F436}"],
  ["family", "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}"],
  ["rainbow_flag", "\u{1F3F3}\uFE0F\u200D\u{1F308}"],
];

/** The number of emoji at the start of the list that have skin tones. */
const TONED = 4;

/** All emoji of the sandbox. */
export const EMOJI: readonly Emoji[] = GRAPHEMES.map(([name, grapheme], i) => ({
  id: `emoji-${String(i + 1).padStart(2, "0")}`,
  slug: `:${name}:`,
  grapheme,
  variants: i < TONED ? TONES.map((tone) => grapheme + tone) : {},
}));

/** Removes skin tone and presentation selectors, which are optional in requests. */
function plain(grapheme: string): string {
  return grapheme.replace(/[\u{1F3FB}-\u{1F3FF}\uFE0E\uFE0F]/gu, "");
}

export function emojiBySlug(slug: string): Emoji | undefined {
  const name = slug.replaceAll(":", "");
  return EMOJI.find((emoji) => emoji.slug === `:${name}:`);
}

export function emojiByGrapheme(grapheme: string): Emoji | undefined {
  return EMOJI.find((emoji) => plain(emoji.grapheme) === plain(grapheme));
}

export function emojiById(id: string): Emoji | undefined {
  return EMOJI.find((emoji) => emoji.id === id);
}

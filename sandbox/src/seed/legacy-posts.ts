import type { JsonObject } from "../json.ts";
import type { LegacyType } from "../store/posts.ts";

const MEDIA = "https://media.blog.example";

function sizes(name: string): JsonObject[] {
  return [1280, 540, 250, 75].map((width) => ({
    width,
    height: Math.round(width * 0.75),
    url: `${MEDIA}/${name}_${width}.jpg`,
  }));
}

function photo(name: string, caption = ""): JsonObject {
  const alternatives = sizes(name);
  const exif = { Camera: "Pinhole 3", ISO: 200, Aperture: "f/8", Exposure: "1/125th", FocalLength: "35mm" };
  return { caption, original_size: alternatives[0], alt_sizes: alternatives, exif };
}

function photos(i: number): JsonObject {
  const set = i % 2 === 0;
  const name = `photo${i}`;
  return {
    caption: `<p>Photo number ${i} &amp; <a href="https://example.org/?a=1&amp;b=2">a link</a></p>`,
    width: 1280,
    height: 960,
    image_permalink: `https://demo.blog.example/image/${i}`,
    ...(set ? { photoset_layout: "21" } : {}),
    photos: set ? [photo(`${name}a`, "First"), photo(`${name}b`), photo(`${name}c`, "Last")] : [photo(name)],
  };
}

function player(i: number): JsonObject[] {
  const code = (width: number) => `<iframe width="${width}" src="https://video.example/embed/${i}"></iframe>`;
  return [250, 400, 500].map((width) => ({ width, embed_code: i % 3 === 2 ? false : code(width) }));
}

const TEXTS = [
  "<p>Plain words, nothing else.</p>",
  "<p>Caf\u00e9, \u4f60\u597d and \u{1F468}\u200D\u{1F469}\u200D\u{1F467} &lt;tagged&gt;</p><p>Second paragraph.</p>",
  "A *Markdown* body with **strong** words\n\nand a [link](https://example.org/)",
];

/** Returns the fields of the `i`th seeded post of a legacy type, as its author entered them. */
export function legacyFields(type: LegacyType, i: number): JsonObject {
  switch (type) {
    case "text":
      return { title: i % 3 === 1 ? null : `Text number ${i}`, body: TEXTS[i % TEXTS.length] };
    case "photo":
      return photos(i);
    case "quote":
      return {
        text: `Quotation ${i} &#8211; short`,
        source: `<a href="https://example.org/book/${i}">A book</a>`,
      };
    case "link":
      return {
        title: `Link ${i}`,
        description: "<p>Worth reading</p>",
        url: `https://example.org/article/${i}?utm=none&x=%C3%A9`,
        link_author: "N. N.",
        excerpt: "The first lines of it",
        publisher: "example.org",
        photos: [photo(`link${i}`)],
      };
    case "chat":
      return {
        title: i % 2 === 0 ? "" : `Chat ${i}`,
        body: "Ada: Does it work?\nCharles: Not yet.",
        dialogue: [
          { name: "Ada", label: "Ada:", phrase: "Does it work?" },
          { name: "Charles", label: "Charles:", phrase: "Not yet." },
        ],
      };
    case "audio":
      return {
        caption: "<p>Listen</p>",
        player: `<iframe src="https://audio.example/embed/${i}"></iframe>`,
        embed: `<iframe class="embed" src="https://audio.example/embed/${i}"></iframe>`,
        plays: 41 + i,
        album_art: `${MEDIA}/album${i}.jpg`,
        artist: "The Difference Engines",
        album: "Analytical",
        track_name: `Track ${i}`,
        track_number: i % 2 === 0 ? i : String(i),
        year: i % 2 === 0 ? 1843 : "1843",
        id3_title: `Track ${i}`,
        audio_url: `${MEDIA}/audio${i}.mp3`,
        audio_type: i % 2 === 0 ? "native" : "cloudsound",
        audio_source_url: `https://audio.example/${i}`,
        is_external: i % 2 !== 0,
      };
    case "video":
      return {
        caption: "<p>Watch</p>",
        player: player(i),
        video_url: `https://video.example/watch?v=${i}`,
        video_type: "vidstream",
        html5_capable: true,
        duration: 61 + i,
        thumbnail_url: `${MEDIA}/thumb${i}.jpg`,
        thumbnail_width: 480,
        thumbnail_height: 360,
      };
    case "answer":
      return {
        asking_name: i % 2 === 0 ? "ada" : "Anonymous",
        asking_url: i % 2 === 0 ? "https://notes.ada.example/" : null,
        question: `Question ${i}?`,
        answer: `<p>Answer ${i}.</p>`,
      };
  }
}

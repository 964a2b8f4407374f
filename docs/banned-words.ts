/** Where a word may not stand: `name` is an identifier, `path` a file or folder, `text` a comment, a string or a page of documentation, `screen` a string of the console. */
type Place = "name" | "path" | "text" | "screen";

type Ban = { in: Place[]; pattern: RegExp; say: string };

const name = (pattern: RegExp, say: string): Ban => ({ in: ["name"], pattern, say });
const path = (pattern: RegExp, say: string): Ban => ({ in: ["path"], pattern, say });
const text = (pattern: RegExp, say: string): Ban => ({ in: ["text"], pattern, say });

/** Words that readers had to decode, each with what to say instead. The glossary (docs/glossary.md) has the whole list. */
export const BANS: Ban[] = [
  {
    in: ["screen"],
    pattern: /[a-z]'[a-z]|s' /i,
    say: "the same with a typographic apostrophe (’)",
  },
  name(
    /^(takenBy|lackOf|isIt|keepersOf|isContent|isGiven|APPLIANCES|withoutBegun)$/,
    "a verb and a noun that a search would try first",
  ),
  name(/^whyNotNow$/, "acceptanceBlocker"),
  name(/^requireNoGain$/, "requireNoPrivilegeEscalation"),
  name(/^(tell|told)[A-Z]/, "notify…, report…, send…"),
  name(/^note[A-Z]/, "record…"),
  name(/InWords$/, "explain…, format…"),
  name(/^lookAt[A-Z]/, "check…"),
  name(/^notYet[A-Z]/, "pending…, unsent…"),
  name(/AtTheDoor$/, "the state it is in, such as SignedOut…"),
  name(/^(Letter|Parcel)$/, "Message"),
  path(
    /(^|\/)(several|take-along|take-in|in-force|near-link|only-with|shown-at-once|list-line|each|due|covers|acts|steady-rows|\(door\)|\(paper\)|taken-by|sent-by|is-given|event-bits|read-traces|share-out|at-most|doubt-denials|why-not-now|is-told|look-at-[a-z-]+|note-[a-z-]+|tell-[a-z-]+|[a-z-]+-in-words|keepers-of|silent-parts|no-gain)(\.|\/|$)/,
    "what the file does, in the words of the glossary",
  ),
  path(/(^|\/)(utils|helpers|common|misc)(\.|\/|$)/, "a name for what is in it"),
  text(
    /\b(somebody|nobody|whoever|whomever|anybody)\b(?!@)/i,
    "the role: admin, mailbox user, sender, client, caller",
  ),
  text(/\b(anew|afresh)\b/i, "again"),
  text(/\bby (itself|themselves)\b/i, "automatically"),
  text(/\b(is|are|be|was|were|been|being) told\b/i, "is notified, is recorded, receives"),
  text(/\btells? of\b/i, "reports, describes"),
  text(/\b(is|are) (content|over)\b(?! (the|a|an|it|\d))/i, "is done, has expired, has ended"),
  text(/\bfirst password\b/i, "temporary password"),
  text(/\b(put|set) aside\b/i, "on hold, parked"),
  text(/\btake(s|n)? along\b/i, "copy, keep"),
  text(/\b(letter|parcel)s? (is|are|was) (sent|delivered)\b/i, "message"),
  text(/\bleads? nowhere\b/i, "no longer valid"),
  text(/\blet in\b|\bshut out\b/i, "signed in, signed out"),
  text(/\bIs it you\b/i, "Verify it's you"),
  text(/\bfits?\b.{0,20}\bLook for less\b/i, "No results. Clear filters"),
  text(/\bwhat is (wrong|to be) .{0,30}\bis told\b/i, "name the error and the fix"),
  text(
    /\b(behaviour|colour|organis(ation|e|ed)|cancelled|recognis(e|ed)|authoris(e|ed))\b/i,
    "American spelling",
  ),
  text(/\b(may|can) everything\b/i, "has every privilege"),
  text(/\ba no\b(?!\.)/, "an error"),
  text(/\bis (none|no) of (its|their|our|ours)\b/i, "say whose it is"),
  text(/\bof (ours|theirs)\b/i, "our own, name the owner"),
  text(/(?<!each )\bone's\b/i, "your, the admin's"),
  text(/\bgoes (along|its way)\b/i, "is sent, continues"),
];

import { type Details, spelledOut, textIn } from "./details-in-words.ts";
import { SENTENCES_OF_COMPANY } from "./sentences-of-company.ts";
import { SENTENCES_OF_MAIL } from "./sentences-of-mail.ts";
import { SENTENCES_OF_PEOPLE } from "./sentences-of-people.ts";

/** What was done, as it goes on behind who did it: "added the domain x.test". */
export type Sentence = (details: Details) => string;

const SENTENCES: Record<string, Sentence> = {
  ...SENTENCES_OF_MAIL,
  ...SENTENCES_OF_PEOPLE,
  ...SENTENCES_OF_COMPANY,
};

/** Actions that have a sentence of their own. */
export const TOLD_ACTIONS = Object.keys(SENTENCES);

/** The details that tell best what an unknown entry is about. */
const TELLING = ["name", "email", "address", "mailbox", "group", "domain", "to", "id"];

/** An entry in plain words, whatever stands in it. */
export function sentenceOf(action: string, details: Details): string {
  const sentence = Object.hasOwn(SENTENCES, action) ? SENTENCES[action] : undefined;
  return sentence ? sentence(details).replace(/ +/g, " ").trim() : fallback(action, details);
}

/** "gadget.turned_on" of "x": "turned on: gadget x" */
function fallback(action: string, details: Details): string {
  const [noun = "", verb = ""] = action.split(".");
  const telling = TELLING.map((name) => textIn(details, name)).find((text) => text !== "");
  const what = [spelledOut(noun), telling].filter(Boolean).join(" ");
  return verb ? `${spelledOut(verb)}: ${what}` : what;
}

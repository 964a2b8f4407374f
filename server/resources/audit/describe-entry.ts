import { ADMIN_DESCRIPTIONS } from "./admin-descriptions.ts";
import { COMPANY_DESCRIPTIONS } from "./company-descriptions.ts";
import { type Description, type Details, humanize, textDetail } from "./details.ts";
import { MAIL_DESCRIPTIONS } from "./mail-descriptions.ts";

const DESCRIPTIONS: Record<string, Description> = {
  ...MAIL_DESCRIPTIONS,
  ...ADMIN_DESCRIPTIONS,
  ...COMPANY_DESCRIPTIONS,
};

export const DESCRIBED_ACTIONS = Object.keys(DESCRIPTIONS);

/** For actions without a description: the details that may name the object, best first. */
const SUBJECT_DETAILS = ["name", "email", "address", "mailbox", "group", "domain", "to", "id"];

/** Describes any entry, also one with an unknown action or malformed details. */
export function describeEntry(action: string, details: Details): string {
  const describe = Object.hasOwn(DESCRIPTIONS, action) ? DESCRIPTIONS[action] : undefined;
  return describe ? describe(details).replace(/ +/g, " ").trim() : fallback(action, details);
}

/** "gadget.turned_on" with the name "x" becomes "turned on: gadget x". */
function fallback(action: string, details: Details): string {
  const [noun = "", verb = ""] = action.split(".");
  const subject = SUBJECT_DETAILS.map((name) => textDetail(details, name)).find(
    (text) => text !== "",
  );
  const what = [humanize(noun), subject].filter(Boolean).join(" ");
  return verb ? `${humanize(verb)}: ${what}` : what;
}

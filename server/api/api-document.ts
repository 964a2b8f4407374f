import { config } from "#server/config.ts";
import { openapiDocument, type OpenapiDocument } from "#server/http/openapi.ts";

import { examples } from "./examples.ts";
import { WEBHOOK_GUIDE } from "./webhooks/webhook-guide.ts";

const ITSELF = { name: "This API", description: "What the API says of itself." };

/** The resources of the API, by the first part of their paths. */
const tags = {
  emails: {
    name: "Emails",
    description:
      "Send from your verified domains, at once or at a time, and read what became of each email.",
  },
  domains: {
    name: "Domains",
    description:
      "Names that you send from and receive at. Prove that one is yours, publish its records, and have them looked for.",
  },
  mailboxes: {
    name: "Mailboxes",
    description:
      "People's mail, for mail apps on any device, with other addresses (aliases) that lead to them. An address names one thing only: a mailbox, an alias or a group.",
  },
  groups: {
    name: "Groups",
    description:
      "Addresses whose mail goes to all members, in the company and outside. Who may write to a group is set in the console.",
  },
  "api-keys": {
    name: "API keys",
    description:
      "Keys act with the rights of the person who made them. A key's secret is shown once, when it is made.",
  },
  logs: {
    name: "Logs",
    description: "The requests made with the company's keys, kept for 30 days.",
  },
  suppressions: {
    name: "Suppressions",
    description:
      "Addresses that the company's emails skip: they bounced for good, reported an email as spam, or were added by hand.",
  },
  webhooks: { name: "Webhooks", description: WEBHOOK_GUIDE },
  "": ITSELF,
  "openapi.json": ITSELF,
};

let document: Promise<OpenapiDocument> | null = null;

/** The OpenAPI document of the public API, made once. */
export function apiDocument(): Promise<OpenapiDocument> {
  return (document ??= makeDocument().catch((error: unknown) => {
    document = null;
    throw error;
  }));
}

async function makeDocument() {
  // The registry names the endpoint that answers the document, so it is read when called.
  const { endpoints } = await import("./registry.ts");
  const shown = endpoints.toSorted((a, b) => rank(a.path) - rank(b.path));
  return openapiDocument(shown, config().baseUrl, { tags, examples });
}

/** Resources in the order of `tags`, each with its endpoints in the order of the registry. */
const rank = (path: string) => Object.keys(tags).indexOf(path.split("/")[1]!);

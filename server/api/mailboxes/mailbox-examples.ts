import type { Example } from "#server/http/code-samples.ts";

const ANN = "ann@shop.example";
const SALES = "sales@shop.example";
const PASSWORD = "hR7vTqk2YdXw9mZbN4cu";

const mailbox = {
  ...{ object: "mailbox", email: ANN, name: "Ann Smith", domain: "shop.example", active: true },
  ...{ quota_mb: 5120, used_bytes: 1482931, messages: 37, force_password_change: false },
  org_unit: { id: 4, name: "Sales" },
  aliases: [SALES],
  last_sign_in_at: "2026-03-02 09:12:07.000000+00",
};

const unused = { used_bytes: 0, messages: 0, aliases: [], last_sign_in_at: null };

const alias = { object: "alias", address: SALES, mailbox: ANN, active: true };

const list = (...data: object[]) => ({ object: "list", has_more: false, data });

export const mailboxExamples: Record<string, Example> = {
  "GET /mailboxes": {
    query: { domain: "shop.example", limit: "20" },
    answer: list(mailbox),
    sdk: ["get", "/mailboxes?domain=shop.example&limit=20"],
  },
  "POST /mailboxes": {
    body: { email: ANN, name: "Ann Smith", org_unit_id: 4 },
    answer: { ...mailbox, ...unused, force_password_change: true, temporary_password: PASSWORD },
    sdk: ["post", "/mailboxes", { email: ANN, name: "Ann Smith", org_unit_id: 4 }],
  },
  "GET /mailboxes/{email}": {
    params: { email: ANN },
    answer: mailbox,
    sdk: ["get", `/mailboxes/${ANN}`],
  },
  "PATCH /mailboxes/{email}": {
    params: { email: ANN },
    body: { active: false },
    answer: { ...mailbox, active: false },
    sdk: ["patch", `/mailboxes/${ANN}`, { active: false }],
  },
  "DELETE /mailboxes/{email}": {
    params: { email: ANN },
    answer: { object: "mailbox", email: ANN, deleted: true },
    sdk: ["delete", `/mailboxes/${ANN}`],
  },
  "POST /mailboxes/{email}/password": {
    params: { email: ANN },
    body: { keep_app_passwords: false },
    answer: {
      ...{ object: "mailbox", email: ANN },
      ...{ force_password_change: true, temporary_password: PASSWORD },
    },
    sdk: ["post", `/mailboxes/${ANN}/password`, { keep_app_passwords: false }],
  },
  "GET /mailboxes/{email}/aliases": {
    params: { email: ANN },
    answer: list(alias),
    sdk: ["get", `/mailboxes/${ANN}/aliases`],
  },
  "POST /mailboxes/{email}/aliases": {
    params: { email: ANN },
    body: { address: SALES },
    answer: alias,
    sdk: ["post", `/mailboxes/${ANN}/aliases`, { address: SALES }],
  },
  "DELETE /mailboxes/{email}/aliases/{address}": {
    params: { email: ANN, address: SALES },
    answer: { object: "alias", address: SALES, mailbox: ANN, deleted: true },
    sdk: ["delete", `/mailboxes/${ANN}/aliases/${SALES}`],
  },
};

import type { Example } from "#server/http/code-samples.ts";

const TEMPLATE = "0198c0de-b182-73a5-90c9-d48572e19388";
const COPY = "0198c0de-c293-74b6-a1da-e59683f2a499";
const VERSION = "0198c0de-d3a4-75c7-b2eb-f6a794a3b5aa";
const AT = "2026-03-01 08:00:00.104532+00";

const HTML = "<p>Hi {{{CUSTOMER}}}, your order {{{ORDER}}} has shipped.</p>";
const SUBJECT = "Your order {{{ORDER}}}";

const listed = {
  id: TEMPLATE,
  name: "Order shipped",
  status: "published",
  alias: "order-shipped",
  published_at: AT,
  created_at: AT,
  updated_at: AT,
};

const atTemplate = { id: TEMPLATE };
const changed = { object: "template", id: TEMPLATE };

export const templateExamples: Record<string, Example> = {
  "GET /templates": {
    query: { limit: "20" },
    answer: { object: "list", has_more: false, data: [listed] },
    sdk: ["templates.list", { limit: 20 }],
  },
  "POST /templates": {
    body: {
      ...{ name: "Order shipped", alias: "order-shipped", subject: SUBJECT, html: HTML },
      variables: [
        { key: "CUSTOMER", type: "string", fallback_value: "there" },
        { key: "ORDER", type: "number" },
      ],
    },
    answer: changed,
    sdk: [
      "templates.create",
      {
        ...{ name: "Order shipped", alias: "order-shipped", subject: SUBJECT, html: HTML },
        variables: [
          { key: "CUSTOMER", type: "string", fallbackValue: "there" },
          { key: "ORDER", type: "number" },
        ],
      },
    ],
  },
  "GET /templates/{id}": {
    params: atTemplate,
    answer: {
      object: "template",
      ...listed,
      ...{ from: null, subject: SUBJECT, reply_to: null, html: HTML, text: null },
      variables: [
        {
          key: "CUSTOMER",
          type: "string",
          fallback_value: "there",
          created_at: AT,
          updated_at: AT,
        },
        { key: "ORDER", type: "number", fallback_value: null, created_at: AT, updated_at: AT },
      ],
      has_unpublished_versions: false,
      current_version_id: VERSION,
    },
    sdk: ["templates.get", TEMPLATE],
  },
  "PATCH /templates/{id}": {
    params: atTemplate,
    body: { subject: "Order {{{ORDER}}} is on its way" },
    answer: changed,
    sdk: ["templates.update", TEMPLATE, { subject: "Order {{{ORDER}}} is on its way" }],
  },
  "DELETE /templates/{id}": {
    params: atTemplate,
    answer: { ...changed, deleted: true },
    sdk: ["templates.remove", TEMPLATE],
  },
  "POST /templates/{id}/publish": {
    params: atTemplate,
    answer: changed,
    sdk: ["templates.publish", TEMPLATE],
  },
  "POST /templates/{id}/duplicate": {
    params: atTemplate,
    answer: { object: "template", id: COPY },
    sdk: ["templates.duplicate", TEMPLATE],
  },
};

import { index, integer, json, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";

import { createdAt, id, moment } from "./columns.ts";
import { companies } from "./companies.ts";

/**
 * Reusable content of emails. Name and alias apply at once; the content is versioned. The newest version is a
 * draft until it is published, and emails use the version published last.
 */
export const templates = pgTable(
  "templates",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** Names the template in API calls, like its ID. */
    alias: text(),
    /** The newest version. */
    currentVersionId: uuid().notNull(),
    /** Null until published for the first time. */
    publishedVersionId: uuid(),
    createdAt: createdAt(),
    /** When name, alias or content last changed. */
    updatedAt: createdAt(),
  },
  (t) => [
    // Finds a template by its alias.
    uniqueIndex("templates_alias_key").on(t.companyId, t.alias),
    index("templates_company_newest_idx").on(t.companyId, t.createdAt, t.id),
  ],
);

/** One version of a template's content. Never changed once it is published. */
export const templateVersions = pgTable(
  "template_versions",
  {
    id: id(),
    companyId: uuid().notNull(),
    templateId: uuid()
      .notNull()
      .references(() => templates.id, { onDelete: "cascade" }),
    /** From 1. */
    number: integer().notNull(),
    subject: text(),
    /** An address as written, with display name. */
    from: text(),
    /** Addresses as written. */
    replyTo: text().array(),
    html: text().notNull(),
    /** Null: generate a text part from html. "": no text part. */
    text: text(),
    variables: json().$type<TemplateVariable[]>().notNull(),
    /** Null for a draft. */
    publishedAt: moment(),
    createdAt: createdAt(),
    updatedAt: createdAt(),
  },
  (t) => [
    // The versions of a template; two edits at the same time can't create the same one.
    uniqueIndex("template_versions_number_key").on(t.templateId, t.number),
  ],
);

export type TemplateVariable = {
  key: string;
  type: "string" | "number";
  /** Null: emails must provide a value. */
  fallbackValue: string | number | null;
  createdAt: string;
  updatedAt: string;
};

export type Template = typeof templates.$inferSelect;
export type TemplateVersion = typeof templateVersions.$inferSelect;

import { keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";

import { type Answer, call } from "#app/console/console-client.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import type { PageCursor } from "#app/console/ui/pagination.tsx";
import { useAction } from "#app/console/ui/use-action.ts";
import type { createTemplate } from "#server/console/templates/create-template.ts";
import type { deleteTemplate } from "#server/console/templates/delete-template.ts";
import type { duplicateTemplate } from "#server/console/templates/duplicate-template.ts";
import type { getTemplate } from "#server/console/templates/get-template.ts";
import type { listTemplates } from "#server/console/templates/list-templates.ts";
import type { publishTemplate } from "#server/console/templates/publish-template.ts";
import type { restoreVersion } from "#server/console/templates/restore-version.ts";
import type { updateTemplate } from "#server/console/templates/update-template.ts";

const TEMPLATES_PER_PAGE = 20;
const LIST = ["templates"];

export type TemplateRow = Answer<typeof listTemplates>["data"][number];
export type TemplateDetail = Answer<typeof getTemplate>;
export type TemplateVersion = TemplateDetail["versions"][number];

export const TEMPLATE_SORTS = ["-changed", "name"] as const;

export const templatesQuery = (place: PageCursor, sort: SortOf<typeof TEMPLATE_SORTS>) =>
  queryOptions({
    queryKey: [...LIST, place, sort],
    queryFn: () =>
      call<typeof listTemplates>("GET", "/console/api/templates", {
        query: { ...place, sort, limit: String(TEMPLATES_PER_PAGE) },
      }),
    placeholderData: keepPreviousData,
  });

/** The published templates, for choosing one. A company has at most 300. */
export const publishedTemplatesQuery = queryOptions({
  queryKey: [...LIST, "published"],
  async queryFn() {
    const rows: TemplateRow[] = [];
    for (let after: string | undefined, isLast = false; !isLast;) {
      const page = await call<typeof listTemplates>("GET", "/console/api/templates", {
        query: { after, limit: "100" },
      });
      rows.push(...page.data);
      after = page.data.at(-1)?.id;
      isLast = !page.has_more;
    }
    return rows.filter(({ status }) => status === "published");
  },
});

export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: ["template", id],
    queryFn: () =>
      call<typeof getTemplate>("GET", "/console/api/templates/{id}", { params: { id } }),
  });

export type TemplateToCreate = z.input<NonNullable<(typeof createTemplate)["body"]>>;
export type TemplateChanges = z.input<NonNullable<(typeof updateTemplate)["body"]>>;

export const useCreateTemplate = () =>
  useAction({
    call: (body: TemplateToCreate) =>
      call<typeof createTemplate>("POST", "/console/api/templates", { body }),
    invalidates: [LIST],
    success: "Template created as a draft",
  });

/** Saves the draft and, if asked to, publishes it. */
export const useSaveTemplate = (id: string) =>
  useAction({
    async call({ body, publishes }: { body: TemplateChanges; publishes: boolean }) {
      const params = { id };
      await call<typeof updateTemplate>("PATCH", "/console/api/templates/{id}", { params, body });
      if (publishes)
        await call<typeof publishTemplate>("POST", "/console/api/templates/{id}/publish", {
          params,
        });
    },
    invalidates: [LIST, ["template", id]],
    success: (_, { publishes }) => (publishes ? "Template published" : "Draft saved"),
  });

export const useDuplicateTemplate = (onDone: (id: string) => void) =>
  useAction({
    call: (id: string) =>
      call<typeof duplicateTemplate>("POST", "/console/api/templates/{id}/duplicate", {
        params: { id },
      }),
    invalidates: [LIST],
    success: "Template duplicated",
    onDone: (copy) => onDone(copy.id),
  });

export const useDeleteTemplate = () =>
  useAction({
    call: (id: string) =>
      call<typeof deleteTemplate>("DELETE", "/console/api/templates/{id}", { params: { id } }),
    invalidates: [LIST],
    success: "Template deleted",
  });

/** @param onDone runs when the template has been read again: its form starts from the restored content */
export function useRestoreVersion(id: string, onDone: () => void) {
  const queryClient = useQueryClient();
  return useAction({
    async call(version: number) {
      await call<typeof restoreVersion>("POST", "/console/api/templates/{id}/restore", {
        params: { id },
        body: { version },
      });
      await queryClient.invalidateQueries({ queryKey: ["template", id] });
    },
    invalidates: [LIST],
    success: (_, version) => `Version ${version} restored as a draft`,
    onDone,
  });
}

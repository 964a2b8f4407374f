import { useQuery } from "@tanstack/react-query";

import { templateQuery, type TemplateVersion } from "#app/console/(pages)/templates/queries.ts";

/** The version of a template that emails use; null without a template and while it is loading. */
export function usePublishedVersion(templateId: string): TemplateVersion | null {
  const { data } = useQuery({ ...templateQuery(templateId), enabled: templateId !== "" });
  if (templateId === "") return null;
  return data?.versions.find((version) => version.isPublished) ?? null;
}

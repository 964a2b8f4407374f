"use client";

import { useRouter } from "next/navigation";

import { useCreateTemplate } from "#app/console/(pages)/templates/queries.ts";
import { TemplateForm } from "#app/console/(pages)/templates/template-form.tsx";
import { newTemplate } from "#app/console/(pages)/templates/template-values.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";

const LIST = "/console/templates";

export function NewTemplate() {
  const router = useRouter();
  const creation = useCreateTemplate();
  return (
    <>
      <Breadcrumbs trail={[{ label: "Templates", href: LIST }]} />
      <PageHeader
        title="Create template"
        description="Emails can use the template once you publish it."
        help="templates"
      />
      <TemplateForm
        initial={newTemplate}
        draft="new-template"
        submitLabel="Create template"
        cancelHref={LIST}
        leavesPage
        send={(fields) => creation.run(fields)}
        onDone={({ id }) => router.replace(`${LIST}/${id}`)}
      />
    </>
  );
}

"use client";

import { Button, Group, Skeleton, Stack, Tabs } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";

import {
  type TemplateDetail,
  templateQuery,
  useDuplicateTemplate,
  useSaveTemplate,
} from "#app/console/(pages)/templates/queries.ts";
import { TemplateForm } from "#app/console/(pages)/templates/template-form.tsx";
import { DeleteTemplateDialog } from "#app/console/(pages)/templates/delete-template-dialog.tsx";
import { templateStatus } from "#app/console/(pages)/templates/template-status.ts";
import { templateValues } from "#app/console/(pages)/templates/template-values.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { DangerZone, Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";

import { TemplateVersions } from "./template-versions.tsx";

const LIST = "/console/templates";

export function TemplatePage({ id }: { id: string }) {
  const template = useQuery(templateQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Templates", href: LIST }]} />
      <QueryView
        query={template}
        noun="this template"
        skeleton={<TemplateSkeleton />}
        titleOrder={1}
      >
        {(template) => (
          <>
            <PageHeader
              title={template.name}
              description={<Status {...templateStatus(template.status, template.hasDraft)} />}
              action={<TemplateActions template={template} />}
            />
            <TemplateTabs template={template} />
          </>
        )}
      </QueryView>
    </>
  );
}

function TemplateActions({ template }: { template: TemplateDetail }) {
  const router = useRouter();
  const duplication = useDuplicateTemplate((id) => router.push(`${LIST}/${id}`));
  return (
    <Group gap="xs">
      <Button
        variant="default"
        aria-busy={duplication.isPending}
        onClick={() => duplication.start(template.id)}
      >
        Duplicate template
      </Button>
      {template.status === "published" && (
        <Button component={Link} href={`/console/emails/new?template=${template.id}`}>
          Compose email
        </Button>
      )}
    </Group>
  );
}

const TABS = { content: "Content", versions: "Versions" };

function TemplateTabs({ template }: { template: TemplateDetail }) {
  return (
    <UrlTabs labels={TABS}>
      <Tabs.Panel value="content">
        <TemplateContent template={template} />
      </Tabs.Panel>
      <Tabs.Panel value="versions">
        <TemplateVersions template={template} />
      </Tabs.Panel>
    </UrlTabs>
  );
}

function TemplateContent({ template }: { template: TemplateDetail }) {
  const router = useRouter();
  const saving = useSaveTemplate(template.id);
  const [isDeleting, dialog] = useDisclosure();
  return (
    <Stack gap="md">
      <TemplateForm
        initial={templateValues(template)}
        draft={`template-${template.id}`}
        submitLabel="Save draft"
        publishLabel="Publish template"
        send={(fields, publishes) =>
          saving.run({
            // An empty text that means "no text part" stays.
            body: { ...fields, text: fields.text ?? (template.text === "" ? "" : null) },
            publishes,
          })
        }
      />
      <DangerZone title="Delete template" actionLabel="Delete template" onAction={dialog.open}>
        Deletes all versions. Emails that were accepted keep their content.
      </DangerZone>
      <DeleteTemplateDialog
        template={isDeleting ? template : null}
        onClose={dialog.close}
        onDeleted={() => router.replace(LIST)}
      />
    </Stack>
  );
}

export function TemplateSkeleton() {
  return (
    <>
      <Skeleton height={20} width="45%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <Panel>
        <Skeleton height={520} />
      </Panel>
    </>
  );
}

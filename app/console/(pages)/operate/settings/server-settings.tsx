"use client";

import { Anchor, NativeSelect, Skeleton, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import type { AnswerOf } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { ChangeBar, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount, pluralize, toSentence } from "#app/console/ui/format.ts";
import { NoResults } from "#app/console/ui/no-results.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { SettingRow } from "#app/console/ui/setting-row.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import {
  andMore,
  formatSetting,
  formatSettingUse,
  groupSettings,
  namedValues,
  settingChoices,
  settingEffect,
  type ServerSetting,
  type SettingPreview,
} from "./setting-values.ts";

const settingsQuery = queryOf("serverSettings.list", {});

export function ServerSettingsPage() {
  const settings = useQuery(settingsQuery);
  return (
    <>
      <PageHeader
        title="Server settings"
        description="Changes apply to all companies within two seconds. Plans can set lower limits for a company."
      />
      <QueryView query={settings} noun="the settings" skeleton={<Skeleton height={720} />}>
        {({ settings, changes }) => (
          <Stack gap="md">
            <SettingsForm settings={settings} />
            <InstanceChanges changes={changes} />
          </Stack>
        )}
      </QueryView>
    </>
  );
}

type Values = Record<string, string>;

/** The field's path in errors, which is in camel case. */
const fieldOf = (name: string) =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const valuesOf = (settings: ServerSetting[]): Values =>
  Object.fromEntries(settings.map(({ name, value }) => [fieldOf(name), String(value)]));

/** Collects changes. Asks for confirmation before saving any that affect companies today or delete something. */
function useSettingsForm(settings: ServerSetting[]) {
  const preview = useChange("serverSettings.preview");
  const save = useChange("serverSettings.save", {
    invalidates: ["serverSettings.list"],
    waits: true,
  });
  const [asked, setAsked] = useState<{ values: Values; effects: SettingPreview[] } | null>(null);
  const client = useQueryClient();
  const form = useForm({
    initialValues: valuesOf(settings),
    labels: Object.fromEntries(settings.map(({ name, label }) => [fieldOf(name), label])),
    // URLs of alarms contain secrets.
    draft: null,
    within: "values",
    followsServer: true,
    async send(all) {
      const changed = settings.filter(({ name, value }) => all[fieldOf(name)] !== String(value));
      const values = Object.fromEntries(changed.map(({ name }) => [name, all[fieldOf(name)]!]));
      const previews = await preview.run({ body: { values } });
      const effects = previews.filter((one) => settingEffect(one) !== null);
      if (effects.length === 0) return saveValues(values);
      setAsked({ values, effects });
      return null;
    },
    stored: (saved) => saved,
  });

  /** Returns the saved values as the server lists them, with secrets masked. */
  async function saveValues(values: Values): Promise<Values> {
    await save.run({ body: { values } });
    toast(`${pluralize(Object.keys(values).length, "setting")} saved`);
    return valuesOf(client.getQueryData(settingsQuery.queryKey)?.settings ?? settings);
  }
  async function confirm() {
    form.markSaved(await saveValues(asked!.values));
  }
  return { form, asked, confirm, cancel: () => setAsked(null) };
}

function SettingsForm({ settings }: { settings: ServerSetting[] }) {
  const search = useSearchParams().get("search") ?? "";
  const { form, asked, confirm, cancel } = useSettingsForm(settings);
  const typed = (name: string) => form.values[fieldOf(name)]!.trim();
  const changed = settings.filter(({ name, value }) => typed(name) !== String(value));
  const mustShow = (name: string) =>
    form.errors[fieldOf(name)] !== undefined || changed.some((setting) => setting.name === name);
  const groups = groupSettings(settings, search, mustShow);
  return (
    <>
      <FilterBar>
        <SearchField
          noun="settings"
          placeholder="Such as “backup” or “per hour”"
          value={search}
          onSearch={(search) => updateSearch({ search }, "replace")}
        />
      </FilterBar>
      {groups.length === 0 && <NoResults noun="settings" />}
      <Form
        form={form}
        actions={
          <ChangeBar
            form={form}
            changes={changed.map((setting) => ({
              name: setting.name,
              text: `${setting.label}: ${formatSetting(setting, setting.value)} → ${formatSetting(setting, typed(setting.name))}`,
            }))}
          />
        }
      >
        {groups.map(([group, settings]) => (
          <Panel key={group} title={group}>
            <ul>
              {settings.map((setting) => (
                <ServerSettingRow
                  key={setting.name}
                  setting={setting}
                  field={form.field(fieldOf(setting.name))}
                  onSet={(value) => form.set(fieldOf(setting.name), value)}
                />
              ))}
            </ul>
          </Panel>
        ))}
      </Form>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={cancel}
        title="Save these settings?"
        confirmLabel="Save settings"
        onConfirm={confirm}
      >
        <Stack gap="md">
          {asked?.effects.map((effect) => (
            <SettingEffect
              key={effect.name}
              preview={effect}
              label={settings.find(({ name }) => name === effect.name)?.label ?? effect.name}
            />
          ))}
        </Stack>
      </ConfirmDialog>
    </>
  );
}

type Field = ReturnType<ReturnType<typeof useForm<Values, unknown>>["field"]>;
type ControlProps = { setting: ServerSetting; field: Field; onSet: (value: string) => void };

function ServerSettingRow({ setting, field, onSet }: ControlProps) {
  const { label, help, obstacle, min, max, changedAt } = setting;
  const standard = String(setting.default);
  const isRange = settingChoices(setting) === null && min !== null && max !== null;
  return (
    <SettingRow
      label={label}
      help={
        <>
          {help}
          {obstacle !== null && <Text size="sm">{toSentence(obstacle)}</Text>}
        </>
      }
      note={
        <>
          {isRange && `${formatCount(min)} to ${formatCount(max)}. `}
          {field.value === standard ? (
            "Default."
          ) : (
            <>
              Default: {formatSetting(setting, standard)}.{" "}
              <Anchor
                component="button"
                type="button"
                inherit
                underline="always"
                aria-label={`Reset ${label} to default`}
                onClick={() => onSet(standard)}
              >
                Reset
              </Anchor>
            </>
          )}
          {changedAt !== null && (
            <>
              {" "}
              Changed <RelativeTime at={changedAt} />.
            </>
          )}
        </>
      }
    >
      {(labelId) => (
        <SettingControl setting={setting} field={field} onSet={onSet} labelId={labelId} />
      )}
    </SettingRow>
  );
}

const CUSTOM = "custom";

/** A switch, a list of choices, or a field that appears once no named value is chosen. */
function SettingControl({ setting, field, onSet, labelId }: ControlProps & { labelId: string }) {
  const { names } = setting;
  const props = { ...field, label: undefined, size: "sm", "aria-labelledby": labelId } as const;
  if ("on" in names)
    return (
      <Switch
        {...props}
        label={names[props.value]}
        checked={props.value === "on"}
        onChange={(event) => onSet(event.currentTarget.checked ? "on" : "off")}
      />
    );
  const choices = settingChoices(setting);
  if (choices) return <NativeSelect {...props} data={choices} />;
  const input = (
    <TextInput
      {...props}
      autoComplete="off"
      spellCheck={false}
      {...(setting.kind === "number" && { inputMode: "numeric" })}
      {...(setting.unit !== null && {
        description: setting.unit,
        inputWrapperOrder: ["input", "description", "error"],
      })}
    />
  );
  const named = namedValues(names);
  if (named.length === 0) return input;
  const isNamed = Object.hasOwn(names, props.value);
  return (
    <>
      <NativeSelect
        size="sm"
        aria-labelledby={labelId}
        value={isNamed ? props.value : CUSTOM}
        onChange={(event) =>
          onSet(event.currentTarget.value === CUSTOM ? "" : event.currentTarget.value)
        }
        data={[...named, { value: CUSTOM, label: "Custom" }]}
      />
      {!isNamed && input}
    </>
  );
}

function SettingEffect({ preview, label }: { preview: SettingPreview; label: string }) {
  const more = andMore(preview);
  return (
    <div>
      <Text fw={500}>{label}</Text>
      <Text>{settingEffect(preview)}</Text>
      {preview.over.length > 0 && (
        <Text component="ul" m={0} mt="xs" pl="md" style={{ listStyle: "revert" }}>
          {preview.over.map(({ id, name: company, used }) => (
            <li key={id}>
              <Anchor component={Link} href={`/console/operate/companies/${id}`}>
                {company}
              </Anchor>
              {used !== null && `: ${formatSettingUse(preview.name, used)}`}
            </li>
          ))}
          {more && <li>{more}</li>}
        </Text>
      )}
    </div>
  );
}

type InstanceChange = AnswerOf<"serverSettings.list">["changes"][number];

const InstanceChanges = ({ changes }: { changes: InstanceChange[] }) => (
  <Panel title="Recent changes">
    {changes.length === 0 ? (
      <Text c="dimmed">No changes yet.</Text>
    ) : (
      <Timeline>
        {changes.map(({ id, actor, text, createdAt }) => (
          <TimelineEntry
            key={id}
            tone="none"
            title={`${actor} ${text}`}
            aside={<RelativeTime at={createdAt} />}
          />
        ))}
      </Timeline>
    )}
  </Panel>
);

import { OPERATOR_TOPICS, type Topic, topics, topicUrl } from "#app/console/(pages)/help/topics.ts";
import type { Me } from "#app/console/session.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import { commands, type PaletteItem, settingPlaces } from "./commands.ts";
import { navigation, visibleNavigation } from "./navigation.ts";
import { matchItem } from "./synonyms.ts";

export type ItemGroup = { label: string; items: PaletteItem[] };

/** `isHidden`: shown only when its items match the query. */
type LocalGroup = ItemGroup & { isHidden?: true };

const HELP = "Help";

export const holdsAny = ({ privileges }: Pick<Me, "privileges">, needs: readonly Privilege[]) =>
  needs.some((need) => privileges.includes(need));

/** @param own commands that every admin has */
export function localGroups(
  me: Parameters<typeof visibleNavigation>[1],
  own: PaletteItem[],
): LocalGroup[] {
  const pages: PaletteItem[] = visibleNavigation(navigation, me).flatMap(({ group, entries }) =>
    entries.map((entry) => ({ ...entry, detail: group })),
  );
  const names = (Object.keys(topics) as Topic[]).filter(
    (topic) => me.isOperator || !OPERATOR_TOPICS.includes(topic),
  );
  return [
    { label: "Go to", items: pages },
    { label: "Commands", items: [...commands.filter(({ needs }) => holdsAny(me, needs)), ...own] },
    {
      label: "Settings",
      isHidden: true,
      items: settingPlaces.filter(
        ({ needs }) => !needs || (needs === "operator" ? me.isOperator : holdsAny(me, needs)),
      ),
    },
    {
      label: HELP,
      isHidden: true,
      items: names.map((topic) => ({
        label: topics[topic].title,
        href: topicUrl(topic),
        detail: topics[topic].about,
      })),
    },
  ];
}

/**
 * Orders what matches the query. Items with these words come before the results, so that they can be opened at once. Items
 * found only by a synonym follow, then help. A search for the text comes last, so that Enter opens what was found.
 *
 * @param results what the server found
 * @param searches searches for the text
 */
export function paletteGroups({
  local,
  query,
  results,
  searches,
}: {
  local: LocalGroup[];
  query: string;
  results: PaletteItem[];
  searches: PaletteItem[];
}): ItemGroup[] {
  const matched = local
    .filter(({ isHidden }) => !isHidden || query.trim() !== "")
    .map(({ label, items }) => ({
      label,
      found: Map.groupBy(items, (item) => matchItem(item, query)),
    }));
  const by = (how: "words" | "synonyms", isHelp: boolean) =>
    matched
      .filter(({ label }) => (label === HELP) === isHelp)
      .map(({ label, found }) => ({
        label: how === "words" ? label : `Related: ${label}`,
        items: found.get(how) ?? [],
      }));
  return [
    ...by("words", false),
    { label: "Results", items: results },
    ...by("synonyms", false),
    ...by("words", true),
    ...by("synonyms", true),
    { label: "Search", items: searches },
  ].filter(({ items }) => items.length > 0);
}

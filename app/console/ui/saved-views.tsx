import { Button } from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { IconBookmark } from "@tabler/icons-react";
import { usePathname, useSearchParams } from "next/navigation";

import { useMe } from "#app/console/session.ts";

import { Menu } from "./menu.tsx";
import { onDemand } from "./on-demand.tsx";
import { deleteView, saveView, type View, viewSearch } from "./view-list.ts";
import { replaceSearch } from "./url-search.ts";

const SaveViewDialog = onDemand(() =>
  import("./save-view-dialog.tsx").then((module) => module.SaveViewDialog),
);

/** Filters, order and columns of a list that the admin has named, kept in this browser. */
export function SavedViews() {
  const me = useMe();
  const pathname = usePathname();
  if (!me) return null;
  return <ViewMenu storageKey={`views:${me.company.id}:${me.email}:${pathname}`} />;
}

function ViewMenu({ storageKey }: { storageKey: string }) {
  const [views, setViews] = useLocalStorage<View[]>({ key: storageKey, defaultValue: [] });
  const search = viewSearch(useSearchParams());
  const [isSaving, dialog] = useDisclosure();
  const current = views.find((view) => view.search === search);
  return (
    <>
      <Menu
        button={
          <Button variant="default" size="sm" leftSection={<IconBookmark size={14} />}>
            Views
          </Button>
        }
      >
        {views.map((view) => (
          <Menu.Item
            key={view.name}
            aria-current={view === current ? "true" : undefined}
            fw={view === current ? 600 : undefined}
            onClick={() => replaceSearch(view.search, "push")}
          >
            {view.name}
          </Menu.Item>
        ))}
        {views.length > 0 && <Menu.Divider />}
        {current ? (
          <Menu.Item onClick={() => setViews(deleteView(views, current.name))}>
            Delete view “{current.name}”
          </Menu.Item>
        ) : (
          <Menu.Item disabled={search === "?"} onClick={dialog.open}>
            {search === "?" ? "Filter or sort the list to save a view" : "Save this view"}
          </Menu.Item>
        )}
      </Menu>
      {isSaving && (
        <SaveViewDialog
          onClose={dialog.close}
          onSave={(name) => setViews((before) => saveView(before, { name, search }))}
        />
      )}
    </>
  );
}

<?php

/**
 * The mailboxes and groups of the company, which admins change in the console, or the mailbox user's own contacts, which apps change.
 * Read-only.
 */
class posthouse_contacts extends rcube_addressbook
{
    public $primary_key = 'ID';
    public $readonly = true;
    public $groups = false;
    public $ready = true;
    public $coltypes = ['name' => ['limit' => 1], 'email' => [], 'phone' => []];

    private $id;
    private $name;
    private $path;
    private $search = '';
    private $result;

    /** @param $path of the endpoint that lists them */
    public function __construct($id, $name, $path)
    {
        [$this->id, $this->name, $this->path] = [$id, $name, $path];
    }

    public function describe()
    {
        return ['id' => $this->id, 'name' => $this->name, 'readonly' => true, 'groups' => false];
    }

    public function get_name()
    {
        return $this->name;
    }

    public function set_search_set($filter)
    {
        $this->search = (string) $filter;
    }

    public function get_search_set()
    {
        return $this->search;
    }

    public function reset()
    {
        $this->search = '';
        $this->result = null;
    }

    public function list_records($cols = null, $subset = 0, $nocount = false)
    {
        $first = ($this->list_page - 1) * $this->page_size;
        return $this->result = $this->ask(['search' => $this->search, 'first' => $first, 'limit' => $this->page_size]);
    }

    public function search($fields, $value, $mode = 0, $select = true, $nocount = false, $required = [])
    {
        if ($fields === 'ID' || $fields === $this->primary_key) {
            return $this->get_record(((array) $value)[0]);
        }
        $this->search = trim(implode(' ', (array) $value));
        return $this->list_records();
    }

    public function count()
    {
        return $this->result ?? $this->list_records();
    }

    public function get_result()
    {
        return $this->result;
    }

    public function get_record($id, $assoc = false)
    {
        $this->result = $this->ask(['search' => self::key_of($id), 'first' => 0, 'limit' => 1]);
        return $assoc ? $this->result->first() : $this->result;
    }

    private function ask($query)
    {
        $found = posthouse::ask($this->path, $query) ?? ['total' => 0, 'contacts' => []];
        $result = new rcube_result_set($found['total'], $query['first']);
        foreach ($found['contacts'] as $contact) {
            $result->add([
                'ID' => bin2hex($contact['id'] ?? $contact['address']),
                'name' => $contact['name'],
                'email' => $contact['emails'] ?? $contact['address'],
                'phone' => $contact['phones'] ?? [],
            ]);
        }
        return $result;
    }

    /** IDs are addresses or paths in a form that Roundcube can use in HTML. */
    private static function key_of($id)
    {
        return ctype_xdigit($id) && strlen($id) % 2 === 0 ? hex2bin($id) : '';
    }
}

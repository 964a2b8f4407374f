<?php

/** The mailboxes and groups of the company, which admins change in the console. Read-only. */
class posthouse_contacts extends rcube_addressbook
{
    public $primary_key = 'ID';
    public $readonly = true;
    public $groups = false;
    public $ready = true;
    public $coltypes = ['name' => ['limit' => 1], 'email' => []];

    private $name;
    private $search = '';
    private $result;

    public function __construct($name)
    {
        $this->name = $name;
    }

    public function describe()
    {
        return ['id' => 'posthouse', 'name' => $this->name, 'readonly' => true, 'groups' => false];
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
        $found = posthouse::ask('webmail/contacts', $query) ?? ['total' => 0, 'contacts' => []];
        $result = new rcube_result_set($found['total'], $query['first']);
        foreach ($found['contacts'] as $contact) {
            $result->add([
                'ID' => bin2hex($contact['address']),
                'name' => $contact['name'],
                'email' => $contact['address'],
            ]);
        }
        return $result;
    }

    /** IDs are addresses in a form that Roundcube can use in HTML. */
    private static function key_of($id)
    {
        return ctype_xdigit($id) && strlen($id) % 2 === 0 ? hex2bin($id) : '';
    }
}

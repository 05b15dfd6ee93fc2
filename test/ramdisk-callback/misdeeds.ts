// Each key is a wrong act of the hook `lab`. A report asks for it in its field `lab`. The value matches the node's last_error then.
export const misdeeds: Readonly<Record<string, RegExp>> = {
  refuse: /lab: this machine is not wanted/,
  throw: /Hook lab failed unexpectedly \(TypeError\): a slip of the plugin/,
  'throw nothing': /Hook lab failed unexpectedly \(undefined\)/,
  promise: /lab: the hook returned a promise/,
  inventory: /Hook lab failed unexpectedly \(TypeError\)/,
  'ports a word': /lab: .*ports is not a list/,
  'port without address': /lab: address undefined of a port is not a lower-case unicast MAC/,
  'port with a bad address': /lab: address .*DROP TABLE.* of a port is not a lower-case unicast MAC/,
  'port of many machines':
    /lab: address "01:00:5e:00:00:01" of a port is not a lower-case unicast MAC address/,
  'port switched by a word': /lab: pxe_enabled of port 52:54:00:aa:bb:cc is not a boolean/,
  'port with a key of its own':
    /lab: port 52:54:00:aa:bb:cc.name would not be stored: .* has only uuid, address/,
  'port that moves': /lab: port 52:54:00:aa:bb:cd has the UUID .*, but the node has no port with this UUID/,
  'draft with a key of its own': /lab: draft\.inventories would not be stored: draft has only inventory, /,
  'another inventory': /lab: draft\.inventory was replaced/,
  'node with a key of its own':
    /lab: draft\.node\.rack would not be stored: draft\.node has only uuid, traits, name/,
  'node renamed to two words': /lab: Cannot use the invalid name "two words" for the node/,
  'node with a bad trait': /lab: Invalid input for traits: "lower" does not match the rule/,
  'node with another UUID': /lab: draft\.node\.uuid was changed/,
  'node of an unknown type': /: hook lab changed driver: refused: .*no-such-type/,
  'properties a word': /lab: .*node\.properties is not an object/,
  'extra a function': /lab: .*node\.extra is not an object of JSON values/,
  'extra a circle': /lab: .*node\.extra is not an object of JSON values/,
  'plugin data changed inside': /Hook lab failed unexpectedly \(TypeError\)/,
  'plugin data a big integer': /lab: .*pluginData size is not a JSON value/,
};

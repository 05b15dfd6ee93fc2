-- What a waiting node waits for. Of nodes that wait already, only the time of the last sign of life is known.

ALTER TABLE nodes ADD COLUMN wait TEXT NOT NULL DEFAULT '{}';
UPDATE nodes SET wait = json_object(
  'for', CASE WHEN provision_state LIKE '% hold' THEN 'operator' ELSE 'agent' END,
  'reason', CASE WHEN provision_state LIKE '% hold' THEN 'an operator, who ends the hold with the verb unhold'
    ELSE 'a sign of life of the machine' END,
  'since', coalesce(provision_updated_at, updated_at, created_at))
WHERE provision_state IN ('clean wait', 'clean hold', 'inspect wait', 'wait call-back', 'deploy hold', 'rescue wait',
  'service wait', 'service hold');

export default {
  "The state file {0} cannot be written: {1}. Make the file and its folder readable and writable, or free disk space.":
    "O arquivo de estado {0} não pode ser gravado: {1}. Dê permissão de leitura e escrita ao arquivo e à pasta dele, ou libere espaço em disco.",
  "it was deleted while the sandbox was using it": "foi apagado enquanto o sandbox o usava",
  "it is not a regular file": "não é um arquivo comum",
  "The journal of the state file {0} cannot be written: {1}. If the disk is full, free some space.":
    "O diário do arquivo de estado {0} não pode ser gravado: {1}. Se o disco estiver cheio, libere espaço.",
  "The state file {0} is missing, but its journal {1} exists. Restore the file, or move the journal away too to start empty.":
    "O arquivo de estado {0} não existe, mas o diário dele, {1}, existe. Restaure o arquivo ou, para começar do zero, tire também o diário dali.",
  "it is commit {0}, but commit {1} was expected": "é o commit {0}, mas era esperado o commit {1}",
  "it is a snapshot, not a state file": "é um snapshot, não um arquivo de estado",
  'its "version" is not {0}, so another version of pix-sandbox wrote it':
    'a "version" dele não é {0}, portanto foi gravado por outra versão do pix-sandbox',
  "its checksum does not match": "a soma de verificação não confere",
  "it is not valid JSON": "não é um JSON válido",
  'the record "{0}" appears twice': 'o registro "{0}" aparece duas vezes',
  "a record, or the start or end of a list, was expected":
    "era esperado um registro, ou o início ou fim de uma lista",
  "the file ends too early": "o arquivo termina cedo demais",
  '"{0}" is not a list': '"{0}" não é uma lista',
  "Writing works again: changes are accepted.":
    "A gravação voltou a funcionar: as mudanças são aceitas.",
  "line {0} is damaged: {1}": "a linha {0} está danificada: {1}",
  "it belongs to another integration": "pertence a outra integração",
  "it is a state file, not a snapshot": "é um arquivo de estado, não um snapshot",
  "The snapshot {0} cannot be written: {1}. Free some space or fix the problem, then try again.":
    "O snapshot {0} não pode ser gravado: {1}. Libere espaço ou corrija o problema e tente de novo.",
  "The snapshot {0} cannot be restored: {1}. Nothing was changed. Delete the snapshot or save it again.":
    "O snapshot {0} não pode ser restaurado: {1}. Nada foi alterado. Apague o snapshot ou salve-o de novo.",
  "The database {0} cannot be used: {1}. Check the address, the user's rights, and whether PostgreSQL runs.":
    "O banco de dados {0} não pode ser usado: {1}. Confira o endereço, as permissões do usuário e se o PostgreSQL está rodando.",
  "There is no state at {0}.": "Não há estado em {0}.",
  "There is a state at {0}. Nothing was changed. Choose another place, or delete it first.":
    "Já existe um estado em {0}. Nada foi alterado. Escolha outro lugar, ou exclua-o antes.",
  "Line {0} of {1}, the last one, is incomplete or damaged, as a crash leaves it. It does not count.":
    "A linha {0} de {1}, a última, está incompleta ou danificada, como fica após uma queda. Ela não conta.",
  "{0} This process waits until it ends.": "{0} Este processo espera até que ele termine.",
  "it was replaced meanwhile": "foi substituído nesse meio-tempo",
  "The state cannot be opened: the line at position {0} of the table pix_sandbox_log in {1} is damaged or missing. Nothing was changed. Restore a backup, or choose another name with ?sandbox=NAME.":
    "Não é possível abrir o estado: a linha da posição {0} da tabela pix_sandbox_log em {1} está danificada ou falta. Nada foi alterado. Restaure um backup, ou escolha outro nome com ?sandbox=NOME.",
  "the log was begun again": "o diário foi recomeçado",
  "The database {0} cannot be written: {1}.": "Não é possível gravar no banco de dados {0}: {1}.",
  "Another sandbox uses {0}.": "Outro sandbox usa {0}.",
  "no response within {0} s": "sem resposta em {0} s",
  "Another process uses this state now, and this one can store nothing more. Call the other one, or start this one again.":
    "Outro processo usa este estado agora, e este não pode gravar mais nada. Chame o outro, ou inicie este de novo.",
  "The database could not be reached in time, so the outcome is unknown. Repeat the call with the same idempotency key.":
    "Não foi possível acessar o banco de dados a tempo; por isso, o resultado é desconhecido. Repita a chamada com a mesma chave de idempotência.",
  "{0} has tables of another version of pix-sandbox. Use another database, or drop its tables: DROP TABLE IF EXISTS pix_sandbox_migration, pix_sandbox_journal, pix_sandbox_base, pix_sandbox_document, pix_sandbox_lease.":
    "{0} tem tabelas de outra versão do pix-sandbox. Use outro banco de dados, ou exclua as tabelas: DROP TABLE IF EXISTS pix_sandbox_migration, pix_sandbox_journal, pix_sandbox_base, pix_sandbox_document, pix_sandbox_lease.",
  "The snapshots cannot be listed: {0}.": "Não é possível listar os snapshots: {0}.",
  "The journal could not be merged into {0}: {1}. It still has all changes.":
    "Não foi possível juntar o diário a {0}: {1}. Ele ainda tem todas as alterações.",
  "The state {0} cannot be read: {1}. Nothing was changed. Correct it, move it away with its journals, or choose another one with --state.":
    "Não é possível ler o estado {0}: {1}. Nada foi alterado. Corrija-o, mova-o para outro lugar com seus diários ou escolha outro com --state.",
  "The state cannot be opened: line {0} of {1} is damaged: {2}. Nothing was changed. To go on without the changes from this line on, delete this line, all lines after it and the later journals. To start empty, move {3} and its journals away.":
    "Não é possível abrir o estado: a linha {0} de {1} está danificada: {2}. Nada foi alterado. Para continuar sem as mudanças a partir desta linha, apague esta linha, todas as seguintes e os diários posteriores. Para começar vazio, mova {3} e seus diários para outro lugar.",
  "The state file {0} is in use by another sandbox.":
    "O arquivo de estado {0} está em uso por outro sandbox.",
  "The state file {0} is in use by the sandbox with the process id {1}.":
    "O arquivo de estado {0} está em uso pelo sandbox com o PID {1}.",
  "The database has the encoding {0}, which cannot store every text. Use a database with the encoding UTF8: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.":
    "O banco de dados tem a codificação {0}, que não armazena todos os textos. Use um banco com a codificação UTF8: CREATE DATABASE nome ENCODING 'UTF8' TEMPLATE template0.",
  'The address of the state is not valid. Use the form {0}, with one host, and percent-encode special characters in each part, such as %40 for "@".':
    'O endereço do estado não é válido. Use o formato {0}, com um só host, e codifique os caracteres especiais de cada parte, como %40 para "@".',
  'The address of the state has an unknown or invalid parameter {0}. It can have sandbox (1 to 64 letters, digits, ".", "_" or "-"), sslmode (disable, require or verify-full) and connect_timeout (1 to 999 seconds).':
    'O endereço do estado tem um parâmetro desconhecido ou inválido: {0}. Ele pode ter sandbox (de 1 a 64 letras sem acento, dígitos, ".", "_" ou "-"), sslmode (disable, require ou verify-full) e connect_timeout (de 1 a 999 segundos).',
  "{0} Changes are refused until writing works again. The sandbox retries on each change and every second.":
    "{0} As alterações são recusadas até a gravação voltar a funcionar. O sandbox tenta de novo a cada alteração e a cada segundo.",
  "it has content that this version does not know": "tem conteúdo que esta versão não conhece",
  '"{0}" is missing or has an invalid value': '"{0}" falta ou tem um valor inválido',
};

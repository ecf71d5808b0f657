export default {
  "The state file {0} cannot be written: {1}. Make the folder writable, or free disk space.":
    "O arquivo de estado {0} não pode ser gravado: {1}. Torne a pasta gravável, ou libere espaço em disco.",
  "The state file {0} cannot be read: {1}. {2}":
    "O arquivo de estado {0} não pode ser lido: {1}. {2}",
  "The file {0} is not a state file of this version of pix-sandbox: {1}. {2}":
    "O arquivo {0} não é um arquivo de estado desta versão do pix-sandbox: {1}. {2}",
  "Move it away, delete it, or choose another file with --state.":
    "Mova-o para outro lugar, apague-o ou escolha outro arquivo com --state.",
  "it was deleted while the sandbox was using it": "foi apagado enquanto o sandbox o usava",
  "There is a state at {0}{1}. Nothing was changed. Choose another file, or delete it and the files beside it.":
    "Já existe um estado em {0}{1}. Nada foi alterado. Escolha outro arquivo, ou apague-o e os arquivos ao lado.",
  "the disk is full, and the journal needs the space":
    "o disco está cheio, e o journal precisa de espaço",
  "it is not a regular file": "não é um arquivo comum",
  "it does not have one record per line and is too large to be read at once":
    "não tem um registro por linha e é grande demais para ser lido de uma vez",
  "The journal of the state file {0} cannot be written: {1}. If the disk is full, free some space.":
    "O journal do arquivo de estado {0} não pode ser gravado: {1}. Se o disco estiver cheio, libere espaço.",
  "The journal could not be merged into the state file {0}: {1}. {2}":
    "O journal não pôde ser incorporado ao arquivo de estado {0}: {1}. {2}",
  "Nothing is lost: the journal holds all changes.":
    "Nada se perdeu: o journal contém todas as mudanças.",
  "The journal file is missing too: later changes are only in memory.":
    "O arquivo do journal também não existe mais: as mudanças posteriores estão só na memória.",
  "The state file {0} is missing, but its journal {1} exists. Restore the file, or move the journal away too to start empty.":
    "O arquivo de estado {0} não existe, mas o journal dele, {1}, existe. Restaure o arquivo ou, para começar do zero, tire também o journal dali.",
  "The state cannot be opened: line {0} of {1} is damaged: {2}{3}. Nothing was changed. {4} To start empty, move {5} and its journals away.":
    "Não é possível abrir o estado: a linha {0} de {1} está danificada: {2}{3}. Nada foi alterado. {4} Para começar do zero, tire {5} e os journals dali.",
  ", and {0} more": ", e mais {0}",
  "Correct the line or delete it.": "Corrija a linha ou apague-a.",
  "To go on without the changes of this journal, delete it and the later ones.":
    "Para continuar sem as mudanças deste journal, apague-o, assim como os journals posteriores.",
  "To go on without the changes from this line on, delete this line, all lines after it and the later journals.":
    "Para continuar sem as mudanças a partir desta linha, apague esta linha, todas as seguintes e os journals posteriores.",
  "it is incomplete": "está incompleta",
  "it is commit {0}, but commit {1} was expected": "é o commit {0}, mas era esperado o commit {1}",
  "Line {0} of {1} was incomplete when the sandbox last ended. Its {2} bytes were removed from the journal and saved in {3}.":
    "A linha {0} de {1} estava incompleta quando o sandbox terminou pela última vez. Os {2} bytes dela foram removidos do journal e salvos em {3}.",
  "The folder of the state file {0} cannot be read: {1}.":
    "A pasta do arquivo de estado {0} não pode ser lida: {1}.",
  "The journal of the state file {0} cannot be read: {1}.":
    "O journal do arquivo de estado {0} não pode ser lido: {1}.",
  "another sandbox took the state over while this one was suspended (the lock {0} is gone)":
    "outro sandbox assumiu o estado enquanto este estava suspenso (o lock {0} não existe mais)",
  "another sandbox": "por outro sandbox",
  "the sandbox with the process id {0}": "pelo sandbox com o PID {0}",
  "the sandbox with the process id {0} on the host {1}": "pelo sandbox com o PID {0} no host {1}",
  " If no sandbox runs there any more, delete its lock {0}.":
    " Se nenhum sandbox roda mais ali, apague o lock dele, {0}.",
  " It is a hard link to {0}: use a copy, or stop that sandbox first.":
    " Ele é um hard link para {0}: use uma cópia ou encerre antes esse sandbox.",
  "The state file {0} is in use by {1}.{2}{3}": "O arquivo de estado {0} está em uso {1}.{2}{3}",
  "There is no state file {0}. Check its path: a sandbox that stores its records creates .pix-sandbox/state.json, unless --state names another file.":
    "Não existe o arquivo de estado {0}. Confira o caminho: um sandbox que guarda os registros cria .pix-sandbox/state.json, a menos que --state indique outro arquivo.",
  "The folder {0} of the snapshots cannot be read: {1}.":
    "A pasta {0} dos snapshots não pode ser lida: {1}.",
  "it is a snapshot, not a state file": "é um snapshot, não um arquivo de estado",
  'in "{0}", {1}': 'em "{0}", {1}',
  'its "format" is not "{0}"': 'o "format" dele não é "{0}"',
  'its "version" is not {0}': 'a "version" dele não é {0}',
  "it has unknown content ({0})": "tem conteúdo desconhecido ({0})",
  "its checksum does not match": "a soma de verificação não confere",
  "it is not valid JSON": "não é um JSON válido",
  "it has no line breaks, or a line is too long":
    "não tem quebras de linha, ou uma linha é longa demais",
  "a record, or the start or end of a list, was expected":
    "era esperado um registro, ou o início ou fim de uma lista",
  "the file ends too early": "o arquivo termina cedo demais",
  "it is empty": "está vazio",
  "it is not a JSON object": "não é um objeto JSON",
  '"{0}" is not a list': '"{0}" não é uma lista',
  "{0} of {1} snapshots cannot be read, so nothing was copied. Delete the damaged ones and try again.":
    "{0} de {1} snapshots não podem ser lidos, por isso nada foi copiado. Apague os danificados e tente de novo.",
  "A change cannot be written to the journal: {0}.":
    "Uma mudança não pode ser gravada no journal: {0}.",
  "{0} Changes are refused until writing works again. The sandbox retries on each change and every few seconds.":
    "{0} As alterações são recusadas até a gravação voltar a funcionar. O sandbox tenta de novo a cada alteração e a cada poucos segundos.",
  "The journal can be written again: changes are accepted.":
    "O journal pode ser gravado de novo: as mudanças são aceitas.",
  "line {0} is damaged: {1}": "a linha {0} está danificada: {1}",
  "it has {0} {1}, but {2} were expected": "número de {1}: {0}, mas o esperado é {2}",
  "it belongs to another integration": "pertence a outra integração",
  "it has records that do not belong to its integration":
    "tem registros que não pertencem à integração dele",
  "it is a state file, not a snapshot": "é um arquivo de estado, não um snapshot",
  "it does not have the layout of a snapshot": "não tem a estrutura de um snapshot",
  "The snapshot {0} cannot be written: {1}. Free some space or fix the problem, then try again.":
    "O snapshot {0} não pode ser gravado: {1}. Libere espaço ou corrija o problema e tente de novo.",
  "The snapshot {0} cannot be restored: {1}. Nothing was changed. Delete the snapshot or save it again.":
    "O snapshot {0} não pode ser restaurado: {1}. Nada foi alterado. Apague o snapshot ou salve-o de novo.",
  "a file name": "um nome de arquivo",
  '1 to 64 letters, digits, ".", "_" or "-"':
    'de 1 a 64 letras sem acento, dígitos, ".", "_" ou "-"',
  "a number of seconds from {0} to {1}, such as 2.5":
    "um número de segundos de {0} a {1}, como 2.5",
  "one of {0}": "um destes valores: {0}",
  "a non-empty name": "um nome não vazio",
  "a whole number of seconds from 1 to {0}": "um número inteiro de segundos de 1 a {0}",
  'is not an address. Use the form {0}, and percent-encode special characters in each part, such as %40 for "@"':
    'não é um endereço. Use a forma {0} e codifique os caracteres especiais de cada parte, como %40 para "@"',
  'is not an address: it has an invalid percent-encoding or a fragment. Write "%" as %25 and "#" as %23':
    'não é um endereço: há um percentual mal codificado ou um fragmento. Escreva "%" como %25 e "#" como %23',
  "must contain one database name, as in {0}": "deve conter um nome de banco de dados, como em {0}",
  "must contain one host name or IP address, as in {0}. Unix sockets and several hosts are not supported":
    "deve conter um nome de host ou endereço IP, como em {0}. Sockets Unix e vários hosts não são suportados",
  "contains the parameter {0} twice. Remove one of them":
    "contém o parâmetro {0} duas vezes. Remova um deles",
  "has an invalid parameter {0}. It must be {1}":
    "tem um parâmetro inválido: {0}. Ele deve ser {1}",
  "has an unknown parameter {0}. The parameters are {1}":
    "tem um parâmetro desconhecido: {0}. Os parâmetros são {1}",
  "must contain sslmode=verify-full, verify-ca or require if it names certificate files":
    "deve conter sslmode=verify-full, verify-ca ou require se indica arquivos de certificado",
  "must contain both sslcert and sslkey, or neither":
    "deve conter sslcert e sslkey, ou nenhum dos dois",
  "must contain sslmode=verify-full with sslrootcert={0}":
    "deve conter sslmode=verify-full com sslrootcert={0}",
  "The state's address {0} ": "O endereço do estado {0} ",
  'There is no sandbox "{0}" in {1}.': 'Não existe o sandbox "{0}" em {1}.',
  'There is a sandbox "{0}" in {1}. Nothing was changed. Choose another name with ?sandbox=NAME.':
    'Já existe o sandbox "{0}" em {1}. Nada foi alterado. Escolha outro nome com ?sandbox=NOME.',
  "This process does not lead now, so it cannot know the outcome. Repeat the call with the same idempotency key.":
    "Este processo não é o líder agora, por isso não sabe o resultado. Repita a chamada com a mesma chave de idempotência.",
  "Another process leads, and has the same address as this one: {0}. Give each process its own address with --advertise.":
    "Outro processo lidera e tem o mesmo endereço que este: {0}. Dê a cada processo um endereço próprio com --advertise.",
  "The database cannot be used: {0}. The sandbox tries again by itself.":
    "O banco de dados não pode ser usado: {0}. O sandbox tenta de novo sozinho.",
  "the row of the sandbox {0} in the table pix_sandbox_lease is missing. Stop all its processes, and start them again":
    "falta a linha do sandbox {0} na tabela pix_sandbox_lease. Pare todos os processos dele e inicie-os de novo",
  "The database has the encoding {0}, which cannot store every text. Use a database with the encoding UTF8: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.":
    "O banco de dados tem a codificação {0}, que não armazena todos os textos. Use um banco com a codificação UTF8: CREATE DATABASE nome ENCODING 'UTF8' TEMPLATE template0.",
  "The tables in the database are of version {0}, and this version of pix-sandbox knows {1}. Use the version of pix-sandbox that has changed them, or a later one.":
    "As tabelas no banco de dados são da versão {0}, e esta versão do pix-sandbox conhece a {1}. Use a versão do pix-sandbox que as alterou, ou uma posterior.",
  "in line {0}: {1}": "na linha {0}: {1}",
  "Line {0} of the journal in the database is damaged: {1}. {2}":
    "A linha {0} do journal no banco de dados está danificada: {1}. {2}",
  "The compacted state in the database is damaged: {0}. {1}":
    "O estado compactado no banco de dados está danificado: {0}. {1}",
  "Line {0} of the journal in the database, or a later one, is missing. {1}":
    "Falta a linha {0} do journal no banco de dados, ou uma posterior. {1}",
  "Nothing was changed. Restore the database from a backup, or use another sandbox name.":
    "Nada foi alterado. Restaure o banco de dados de um backup, ou use outro nome de sandbox.",
  "The journal in the database cannot be written: {0}.":
    "O journal no banco de dados não pode ser gravado: {0}.",
  "The file {0} in the address of the database cannot be read: {1}.":
    "O arquivo {0} no endereço do banco de dados não pode ser lido: {1}.",
  "Within {0} s, the database {1} gave {2} of the {3} connections that a process uses at the same time. Raise the size of the pool (in PgBouncer: default_pool_size), or let fewer programs share it.":
    "Em {0} s, o banco de dados {1} abriu {2} das {3} conexões que um processo usa ao mesmo tempo. Aumente o tamanho do pool (no PgBouncer: default_pool_size) ou deixe menos programas compartilhá-lo.",
  "The database {0} cannot be used: {1}. Check the address, the user's rights, and whether PostgreSQL runs.":
    "O banco de dados {0} não pode ser usado: {1}. Confira o endereço, as permissões do usuário e se o PostgreSQL está rodando.",
  "The snapshots in the database cannot be read: {0}.":
    "Os snapshots no banco de dados não podem ser lidos: {0}.",
  "Another process leads now, and this one can store nothing more.":
    "Outro processo é o líder agora, e este não pode gravar mais nada.",
};
